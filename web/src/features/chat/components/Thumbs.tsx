import { useQueryClient } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { toast } from "@/shared/ui/toast";
import type { ChatTurn } from "../lib/request";
import type { FullConversation } from "../lib/useChat";
import styles from "./Turn.module.css";

const LONGEST = 2000; // the gateway's limit of a reason

/** Up or down; whoever says down is asked why, and may leave it. */
export function Thumbs({ turn }: { turn: ChatTurn }) {
  const t = useT();
  const [isTelling, setTelling] = useState(false);
  const value = typeof turn.feedback === "object" ? (turn.feedback?.value ?? 0) : (turn.feedback ?? 0);
  const rate = useRating(turn);
  const set = async (next: 1 | -1): Promise<void> => {
    const wanted = value === next ? 0 : next;
    setTelling(wanted === -1);
    await rate(wanted, null);
  };
  const tell = async (note: string): Promise<void> => {
    setTelling(false);
    if (note && (await rate(-1, note))) toast(translate("answer.badThanks"));
  };
  return (
    <>
      <span className={styles.thumbs}>
        <IconButton small icon="thumbUp" label={t("answer.good")} aria-pressed={value === 1} onClick={() => void set(1)} />
        <IconButton small icon="thumbDown" label={t("answer.bad")} aria-pressed={value === -1} aria-expanded={isTelling} onClick={() => void set(-1)} />
      </span>
      {isTelling ? <Reason onTell={(note) => void tell(note)} /> : null}
    </>
  );
}

function Reason({ onTell }: { onTell: (note: string) => void }) {
  const t = useT();
  const id = useId();
  const [note, setNote] = useState("");
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onTell(note.trim());
  };
  return (
    <form className={styles.reason} onSubmit={send} data-testid="thumbs-reason">
      <label htmlFor={id}>{t("answer.badWhy")}</label>
      <input id={id} autoFocus value={note} maxLength={LONGEST} dir="auto" onChange={(event) => setNote(event.target.value)} onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), onTell(""))} />
      <Button small type="submit">
        {t("answer.badSend")}
      </Button>
    </form>
  );
}

/** Sends a rating and shows it at once; true when it was taken. */
function useRating(turn: ChatTurn): (value: number, note: string | null) => Promise<boolean> {
  const client = useQueryClient();
  return async (value, note) => {
    const show = (feedback: ChatTurn["feedback"]): void => {
      client.setQueryData<FullConversation>(keys.conversation(turn.conversation_id), (known) =>
        known ? { ...known, turns: known.turns.map((row) => (row.id === turn.id ? { ...row, feedback } : row)) } : known,
      );
    };
    show({ value, note });
    try {
      await api.post(`/turns/${turn.id}/feedback`, { value, ...(note ? { note } : {}) });
      return true;
    } catch {
      show(turn.feedback);
      toast(translate("refused.ours"), { tone: "error" });
      return false;
    }
  };
}
