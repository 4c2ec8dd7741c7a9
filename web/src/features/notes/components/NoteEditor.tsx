import { useEffect, useRef, useState } from "react";
import type { Note } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Field } from "@/shared/ui/Field";
import { useChangeNote } from "../api";
import styles from "./NoteView.module.css";

const IDLE_MS = 900; // a pause in writing; what was written is kept then, and when the editor is left

/** Title and text as Markdown; kept by itself. Marks stay `[^n]` and go on working where they are moved to. */
export function NoteEditor({ note }: { note: Note }) {
  const t = useT();
  const [title, setTitle] = useState(note.title);
  const [text, setText] = useState(note.text);
  const state = useKeeping(note, title, text);
  return (
    <div className={styles.editor}>
      <Field label={t("notes.name")}>{(ids) => <input {...ids} value={title} maxLength={300} dir="auto" onChange={(event) => setTitle(event.target.value)} data-testid="note-title" />}</Field>
      <Field label={t("notes.text")} hint={t("notes.textHint")}>
        {(ids) => <textarea {...ids} className={styles.area} rows={16} value={text} dir="auto" onChange={(event) => setText(event.target.value)} data-testid="note-area" />}
      </Field>
      <p className={styles.state} role="status" data-testid="note-state">
        {t(state)}
      </p>
    </div>
  );
}

type Kept = "notes.saved" | "notes.saving" | "notes.unsaved";

/** Sends what changed after a pause and at the end; an empty title stays as it was. */
function useKeeping(note: Note, title: string, text: string): Kept {
  const { mutate, isPending, isError } = useChangeNote(note);
  const sent = useRef({ title: note.title, text: note.text });
  const latest = useRef({ title, text });
  useEffect(() => {
    latest.current = { title, text };
  });
  const keep = useRef((): void => undefined);
  useEffect(() => {
    keep.current = () => {
      const now = { title: latest.current.title.trim() || sent.current.title, text: latest.current.text };
      if (now.title === sent.current.title && now.text === sent.current.text) return;
      const change = { ...(now.title === sent.current.title ? {} : { title: now.title }), ...(now.text === sent.current.text ? {} : { text: now.text }) };
      const before = sent.current;
      sent.current = now;
      mutate(change, { onError: () => (sent.current = before) });
    };
  }, [mutate]);
  useEffect(() => {
    const timer = setTimeout(() => keep.current(), IDLE_MS);
    return () => clearTimeout(timer);
  }, [title, text]);
  useEffect(() => () => keep.current(), []);
  return isPending ? "notes.saving" : isError ? "notes.unsaved" : "notes.saved";
}
