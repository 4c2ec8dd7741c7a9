import { useMemo } from "react";
import { useLocation } from "wouter";
import { AnswerText } from "@/features/citations/components/AnswerText";
import { citedAddress } from "@/features/citations/lib/address";
import { placeMark, spotAt } from "@/features/citations/lib/marks";
import { AnswerContext, type AnswerScope } from "@/features/citations/lib/scope";
import type { Note } from "@/shared/api/types";
import { placeNote } from "../lib/plain";

/** The text of a note: Markdown without links, images or markup, its marks live, a person's own words named as theirs. */
export function NoteText({ note, conversationId }: { note: Note; conversationId: string | undefined }) {
  const [, go] = useLocation();
  const scope = useMemo<AnswerScope>(() => {
    const statements = placeNote(note);
    return {
      turnKey: `note-${note.id}`,
      turnId: note.turn_id,
      notebookId: note.notebook_id,
      conversationId: conversationId ?? null,
      citations: note.citations,
      statements,
      isChecked: true,
      isQuoted: false,
      host: "note",
      open: (mark) => {
        const placed = placeMark(spotAt(mark), note.citations, statements, true);
        if (!placed || placed.citation.removed) return;
        go(citedAddress(note.notebook_id, placed.citation, placed.use, { conversation: conversationId ?? null }), { state: { fromChat: true } });
      },
    };
  }, [note, conversationId, go]);
  return (
    <div data-turn={scope.turnKey} data-testid="note-text">
      <AnswerContext value={scope}>
        <AnswerText text={note.text} isGrowing={false} />
      </AnswerContext>
    </div>
  );
}
