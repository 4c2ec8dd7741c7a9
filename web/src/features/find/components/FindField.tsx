import type { RefObject } from "react";
import type { Finding } from "@/features/find/lib/useFindPlace";
import { useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/features/find/components/Find.module.css";

interface FieldProps {
  field: RefObject<HTMLInputElement | null>;
  finding: Finding;
  /** Down to the results. */
  onDown: () => void;
}

/** The words to look for; Enter looks at once, a pause in typing does too. */
export function FindField({ field, finding, onDown }: FieldProps) {
  const t = useT();
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        finding.commit();
      }}
    >
      <label className={styles.field}>
        <Icon name="search" />
        <span className="heard">{t("find.words")}</span>
        <input
          ref={field}
          type="search"
          autoFocus={finding.place.words === ""}
          autoComplete="off"
          maxLength={400}
          dir="auto"
          placeholder={t("find.words")}
          value={finding.typed}
          data-testid="find-words"
          onChange={(event) => finding.type(event.target.value, event.nativeEvent instanceof InputEvent && event.nativeEvent.isComposing)}
          onCompositionEnd={(event) => finding.type(event.currentTarget.value, false)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            onDown();
          }}
        />
      </label>
    </form>
  );
}
