import { useEffect, useRef } from "react";
import { useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { Button } from "@/shared/ui/Button";
import { Field } from "@/shared/ui/Field";
import { Note } from "@/shared/ui/Note";
import { toast } from "@/shared/ui/toast";
import styles from "@/shared/ui/Once.module.css";

/** A secret, this once; the keyboard is at it when it comes. */
export function Once({ label, hint, copy, text }: { label: string; hint: string; copy: string; text: string }) {
  const t = useT();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // After the dialog that made it has given the focus back.
    const frame = requestAnimationFrame(() => box.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <Note tone="warning" icon="key" testId="shown-once">
      <div className={styles.once}>
        <Field label={label} hint={hint}>
          {(ids) => <input {...ids} ref={box} dir="ltr" readOnly value={text} onFocus={(event) => event.target.select()} />}
        </Field>
        <p>
          <Button small icon="copy" onClick={() => void copyText(text).then((done) => toast(t(done ? "ui.copied" : "answer.copyFailed"), done ? {} : { tone: "error" }))}>
            {copy}
          </Button>
        </p>
      </div>
    </Note>
  );
}
