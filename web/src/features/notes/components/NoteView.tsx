import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { CitationCard } from "@/features/citations/components/CitationCard";
import { useT } from "@/shared/i18n/i18n";
import { sourceAddress, workspaceAddress } from "@/shared/lib/addresses";
import { download } from "@/shared/lib/download";
import { NARROW, useMedia } from "@/shared/lib/media";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useTitle } from "@/shared/lib/title";
import type { Note } from "@/shared/api/types";
import { Button } from "@/shared/ui/Button";
import { Menu } from "@/shared/ui/Menu";
import { Note as Notice } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import { useNoteAsSource, useNotes, useTrashNote } from "../api";
import type { NoteProps } from "../Note";
import { NoteEditor } from "./NoteEditor";
import { NoteText } from "./NoteText";
import styles from "./NoteView.module.css";

/** State 29: a note's title, its text with live marks, what was changed by hand marked as yours; editing, exporting, making it a source. */
export default function NoteView({ notebookId, noteId, conversationId, canEdit }: NoteProps) {
  const t = useT();
  const [, go] = useLocation();
  const notes = useNotes(notebookId);
  const note = notes.data?.find((one) => one.id === noteId);
  const isNarrow = useMedia(NARROW);
  const isNew = useHistoryState<{ edits?: boolean } | null>()?.edits === true;
  const [isEditing, setEditing] = useState(isNew && canEdit);
  const root = useRef<HTMLDivElement>(null);
  const back = (): void => go(workspaceAddress(notebookId, conversationId));
  useTitle(note?.title);
  useShortcuts({ Escape: back, Backspace: back }, !isEditing);
  useEffect(() => root.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={root} className={styles.note} data-testid="note" role={isNarrow ? "main" : undefined} tabIndex={-1}>
      <header className={styles.bar}>
        <Button look="quiet" icon="close" className={styles.close} onClick={back} data-testid="note-close">
          {t("notes.close")}
        </Button>
        <span className={styles.space} />
        {note && canEdit ? (
          <>
            <Button look={isEditing ? "primary" : "plain"} small icon={isEditing ? "check" : "edit"} onClick={() => setEditing(!isEditing)} data-testid="note-edit">
              {t(isEditing ? "notes.done" : "notes.edit")}
            </Button>
            <NoteMenu note={note} onGone={back} />
          </>
        ) : null}
      </header>
      <div className={styles.scroller}>
        <div className={styles.page}>
          {notes.isError ? <Trouble error={notes.error} onRetry={() => void notes.refetch()} /> : null}
          {notes.data && !note ? (
            <Notice icon="trash" testId="note-gone">
              {t("notes.gone")}
            </Notice>
          ) : null}
          {note ? <Shown note={note} isEditing={isEditing} conversationId={conversationId} /> : null}
        </div>
      </div>
      <CitationCard host="note" />
    </div>
  );
}

function Shown({ note, isEditing, conversationId }: { note: Note; isEditing: boolean; conversationId: string | undefined }) {
  const t = useT();
  const [, go] = useLocation();
  if (isEditing) return <NoteEditor note={note} />;
  return (
    <article aria-label={t("notes.one")}>
      <h2 className={styles.title} dir="auto">
        {note.title || t("notes.untitled")}
      </h2>
      {note.source_id ? (
        <p className={styles.isSource}>
          {t("notes.isSource")}{" "}
          <Button look="link" small onClick={() => go(sourceAddress(note.notebook_id, note.source_id ?? "", conversationId))}>
            {t("card.open")}
          </Button>
        </p>
      ) : null}
      {note.text.trim() === "" ? <p className={styles.none}>{t("notes.empty")}</p> : <NoteText note={note} conversationId={conversationId} />}
    </article>
  );
}

function NoteMenu({ note, onGone }: { note: Note; onGone: () => void }) {
  const t = useT();
  const asSource = useNoteAsSource(note);
  const trash = useTrashNote(note.notebook_id);
  const file = (format: string) => (): void => download(`/notes/${note.id}/file?format=${format}`);
  return (
    <Menu
      label={t("notes.menu", { title: note.title })}
      items={[
        { label: t("notes.toSource"), icon: "file", disabled: asSource.isPending || note.text.trim() === "", note: t("notes.toSourceNote"), run: () => asSource.mutate() },
        { label: t("export.md"), icon: "download", run: file("md") },
        { label: t("export.docx"), icon: "download", run: file("docx") },
        "line",
        { label: t("talks.delete"), icon: "trash", danger: true, run: () => trash.mutate(note, { onSuccess: onGone }) },
      ]}
    />
  );
}
