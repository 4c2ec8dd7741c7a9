import { useRef, useState, type DragEvent } from "react";
import { CaptureField } from "@/features/sources/components/CaptureField";
import { ACCEPT } from "@/features/sources/lib/accept";
import { addFiles, type FileOptions } from "@/features/sources/lib/uploads";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/features/sources/components/FilesTab.module.css";

/** Drop or choose; what is chosen begins at once, and is read as the fields below say. */
export function FilesTab({ notebookId, onDone }: { notebookId: string; onDone: () => void }) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [options, setOptions] = useState<FileOptions>({});
  const take = (files: FileList | null): void => {
    if (!files || files.length === 0) return;
    addFiles(notebookId, files, options);
    onDone();
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    dispatchEvent(new CustomEvent("sourcebook:dropped")); // the full-window target goes
    take(event.dataTransfer.files);
  };
  return (
    <>
      <div
        className={[styles.zone, isOver ? styles.over : ""].join(" ")}
        onDragOver={(event) => event.preventDefault()}
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon name="upload" size={24} />
        <p className={styles.words}>{t("add.drop_here")}</p>
        <p className={styles.or}>{t("add.or")}</p>
        <Button look="primary" data-autofocus="" onClick={() => input.current?.click()}>
          {t("add.choose")}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          accept={ACCEPT}
          data-testid="file-input"
          onChange={(event) => {
            take(event.target.files);
            event.target.value = ""; // the same file can be chosen again
          }}
        />
        <p className={styles.kinds}>{t("add.kinds")}</p>
      </div>
      <CaptureField options={options} onChange={setOptions} />
    </>
  );
}
