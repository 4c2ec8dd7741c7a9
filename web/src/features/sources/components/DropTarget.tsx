import { useEffect, useState } from "react";
import { addFiles } from "@/features/sources/lib/uploads";
import { isOnlyLinks } from "@/features/sources/lib/links";
import type { AddTab } from "@/features/sources/components/AddPanel";
import { useT } from "@/shared/i18n/i18n";
import { isTyping } from "@/shared/lib/shortcuts";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/features/sources/components/DropTarget.module.css";

interface TargetProps {
  notebookId: string;
  title: string;
  /** A pasted link or text is offered, not added: the dialog opens with it. */
  onPaste: (tab: AddTab, pasted: string) => void;
}

/** A drag of files anywhere shows a target as large as the window; a paste outside a field offers to add. */
export function DropTarget({ notebookId, title, onPaste }: TargetProps) {
  const t = useT();
  const isOver = useFileDrag((files) => addFiles(notebookId, files));
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const files = event.clipboardData?.files;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (files && files.length > 0) addFiles(notebookId, files);
      else if (text.trim() !== "") onPaste(isOnlyLinks(text) ? "links" : "text", text);
      else return;
      event.preventDefault();
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, [notebookId, onPaste]);
  if (!isOver) return null;
  return (
    <div className={styles.target} data-testid="drop-target">
      <div className={styles.frame}>
        <Icon name="upload" size={32} />
        <p className={styles.words}>{t("add.drop_now")}</p>
        <p className={styles.into}>{t("add.drop_into", { title })}</p>
      </div>
    </div>
  );
}

/** True while files are dragged over the window; `onDrop` gets them wherever they are let go. */
function useFileDrag(onDrop: (files: FileList) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      event.preventDefault(); // else the browser would open the file
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false); // left the window, not one element for another
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) onDrop(event.dataTransfer.files);
    };
    const end = (): void => setOver(false);
    addEventListener("dragenter", over);
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    addEventListener("sourcebook:dropped", end);
    return () => {
      removeEventListener("dragenter", over);
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
      removeEventListener("sourcebook:dropped", end);
    };
  }, [onDrop]);
  return isOver;
}
