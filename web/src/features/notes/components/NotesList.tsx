import { Link } from "wouter";
import { ago, useT } from "@/shared/i18n/i18n";
import { noteAddress } from "@/shared/lib/addresses";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { Trouble } from "@/shared/ui/Trouble";
import { useNewNote, useNotes } from "../api";
import { plainWords } from "../lib/plain";
import styles from "./NotesList.module.css";

interface NotesListProps {
  notebookId: string;
  conversationId: string | undefined;
  /** The note that is open. */
  openId: string | null;
  canEdit: boolean;
}

/** The notes of a notebook, the one changed last first. */
export function NotesList({ notebookId, conversationId, openId, canEdit }: NotesListProps) {
  const t = useT();
  const notes = useNotes(notebookId);
  const make = useNewNote(notebookId);
  const sorted = [...(notes.data ?? [])].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  return (
    <section className={styles.notes} aria-label={t("notes.title")} data-testid="notes">
      <div className={styles.head}>
        <h3>{t("notes.title")}</h3>
        {canEdit ? (
          <Button look="quiet" small icon="add" disabled={make.isPending} onClick={() => make.mutate({ title: t("notes.untitled"), text: "" })} data-testid="new-note">
            {t("notes.new")}
          </Button>
        ) : null}
      </div>
      {notes.isError ? <Trouble error={notes.error} onRetry={() => void notes.refetch()} /> : null}
      {notes.data?.length === 0 ? <p className={styles.none}>{t("notes.none")}</p> : null}
      <ul>
        {sorted.map((note) => (
          <li key={note.id} className={styles.row} data-testid="note-row">
            <Link href={noteAddress(notebookId, note.id, conversationId)} className={styles.link} aria-current={note.id === openId ? "page" : undefined}>
              <Icon name={note.source_id ? "file" : "note"} size={16} />
              <span className={styles.words}>
                <span className={styles.name} dir="auto">
                  {note.title || t("notes.untitled")}
                </span>
                <span className={styles.about} dir="auto">
                  {plainWords(note.text) || t("notes.empty")}
                </span>
                <span className={styles.when}>{ago(note.updated_at)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
