import { lazy, Suspense } from "react";

export interface NoteProps {
  notebookId: string;
  noteId: string;
  conversationId: string | undefined;
  canEdit: boolean;
}

const NoteView = lazy(() => import("./components/NoteView"));

/** A note, opened beside the chat. */
export function Note(props: NoteProps) {
  return (
    <Suspense fallback={<div data-testid="note" />}>
      <NoteView key={props.noteId} {...props} />
    </Suspense>
  );
}
