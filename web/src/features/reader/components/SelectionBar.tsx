import { useEffect, useRef, useState, type RefObject } from "react";
import { useLocation } from "wouter";
import { chatAddress } from "@/features/citations/lib/address";
import { asRunningText, quoteWithReference } from "@/features/citations/lib/quote";
import { useSaveToNote } from "@/shared/api/notes";
import { useNotebook } from "@/shared/api/queries";
import type { Source } from "@/shared/api/types";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { NARROW } from "@/shared/lib/media";
import { mayEdit } from "@/shared/lib/roles";
import { Button } from "@/shared/ui/Button";
import { place } from "@/shared/ui/placement";
import { toast } from "@/shared/ui/toast";
import { passageRange, type PassageRange } from "../lib/selection";
import styles from "./Reader.module.css";

interface Selected {
  readonly text: string;
  readonly box: DOMRect;
  readonly where: string;
  /** Where it stands, when it lies in the stored text of one passage. */
  readonly range: PassageRange | null;
}

const LONGEST_QUOTE = 600; // characters of a selection that fit into a question

/** Appears over selected words: ask about them, copy them with their reference. */
export function SelectionBar({ notebookId, conversation, source, reading, scroller }: { notebookId: string; conversation: string | null; source: Source; reading: string | null; scroller: RefObject<HTMLDivElement | null> }) {
  const t = useT();
  const [, navigate] = useLocation();
  const selected = useSelected(scroller);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!selected || !bar.current) return;
    bar.current.showPopover?.();
    place(selected.box, bar.current, { side: "above", align: "center", gap: 8 });
  }, [selected]);
  if (!selected) return null;
  const ask = (): void => {
    const quote = asRunningText(selected.text).trim();
    const short = quote.length > LONGEST_QUOTE ? `${quote.slice(0, LONGEST_QUOTE)}…` : quote;
    if (matchMedia(NARROW).matches) navigate(chatAddress(notebookId, conversation));
    // The chat may have to come back first.
    setTimeout(() => dispatchEvent(new CustomEvent("sourcebook:question", { detail: t("reader.askQuestion", { quote: short }) })), 60);
    getSelection()?.removeAllRanges();
  };
  const copy = async (): Promise<void> => {
    const done = await copyText(quoteWithReference(selected.text, source.title, selected.where));
    toast(translate(done ? "reader.refCopied" : "answer.copyFailed"), done ? {} : { tone: "error" });
  };
  return (
    <div ref={bar} popover="manual" role="toolbar" aria-label={t("reader.selection")} className={styles.selection} data-testid="selection-bar" onPointerDown={(event) => event.preventDefault()}>
      <Button small look="quiet" icon="chat" onClick={ask}>
        {t("reader.askAbout")}
      </Button>
      <SaveSelection notebookId={notebookId} conversation={conversation} range={selected.range} sourceId={source.id} reading={reading} />
      <Button small look="quiet" icon="copy" onClick={() => void copy()}>
        {t("reader.copyRef")}
      </Button>
    </div>
  );
}

interface SaveProps {
  notebookId: string;
  conversation: string | null;
  sourceId: string;
  reading: string | null;
  range: PassageRange | null;
}

/** Keeps the words as a note with a live mark; where they do not lie in one stored passage there is nothing to point at. */
function SaveSelection({ notebookId, conversation, sourceId, reading, range }: SaveProps) {
  const t = useT();
  const role = useNotebook(notebookId).data?.role;
  const save = useSaveToNote(notebookId, conversation);
  if (!range || !reading || !mayEdit(role)) return null;
  return (
    <Button small look="quiet" icon="note" disabled={save.isPending} onClick={() => save.mutate({ source_id: sourceId, reading_id: reading, ...range })} data-testid="save-selection">
      {t("answer.saveNote")}
    </Button>
  );
}

function useSelected(scroller: RefObject<HTMLDivElement | null>): Selected | null {
  const [selected, setSelected] = useState<Selected | null>(null);
  useEffect(() => {
    let timer = 0;
    const look = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(() => setSelected(read(scroller.current)), 180);
    };
    const hide = (): void => setSelected(null);
    const box = scroller.current;
    document.addEventListener("selectionchange", look);
    box?.addEventListener("scroll", hide, { passive: true });
    return () => {
      clearTimeout(timer);
      document.removeEventListener("selectionchange", look);
      box?.removeEventListener("scroll", hide);
    };
  }, [scroller]);
  return selected;
}

function read(box: HTMLElement | null): Selected | null {
  const selection = getSelection();
  if (!box || !selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const text = selection.toString();
  if (!box.contains(range.commonAncestorContainer) || text.trim().length < 2) return null;
  const start = range.startContainer instanceof Element ? range.startContainer : range.startContainer.parentElement;
  const where = start?.closest<HTMLElement>("[data-where]")?.dataset["where"] ?? "";
  return { text, box: range.getBoundingClientRect(), where, range: passageRange(range) };
}
