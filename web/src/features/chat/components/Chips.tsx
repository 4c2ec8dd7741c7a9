import { useNotebook } from "@/shared/api/queries";
import { useT, type Key } from "@/shared/i18n/i18n";
import type { ChatTurn } from "../lib/request";
import { asWords } from "../lib/told";
import styles from "./Turn.module.css";

const LEVELS: Record<string, Key> = { none: "level.none", low: "level.low", medium: "level.medium", high: "level.high" };

/** A product expert says how it took the question and how much evidence there was: words, never a percentage. */
export function Chips({ turn }: { turn: ChatTurn }) {
  const t = useT();
  const profile = useNotebook(turn.notebook_id).data?.profile;
  if (profile !== "product") return null;
  const mode = asWords(turn.route?.["answer_mode"]);
  const intent = asWords(turn.route?.["intent"]);
  const level = turn.coverage ? LEVELS[turn.coverage] : undefined;
  const chips = [mode, intent === mode ? "" : intent, level ? t("answer.evidence", { level: t(level) }) : ""].filter(Boolean);
  if (chips.length === 0) return null;
  return (
    <ul className={styles.chips} data-testid="answer-chips">
      {chips.map((chip) => (
        <li key={chip}>{chip}</li>
      ))}
    </ul>
  );
}
