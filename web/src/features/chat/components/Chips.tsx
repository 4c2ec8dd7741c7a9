import { useNotebook } from "@/shared/api/queries";
import { useT, type Key } from "@/shared/i18n/i18n";
import type { ChatTurn } from "../lib/request";
import { asWords, INTENTS, isOf, MODES } from "../lib/told";
import styles from "./Turn.module.css";

const LEVELS: Record<string, Key> = { none: "level.none", low: "level.low", medium: "level.medium", high: "level.high" };

/** A product expert says how it took the question, what it is about, and how much evidence there was: words, never a percentage. */
export function Chips({ turn }: { turn: ChatTurn }) {
  const t = useT();
  const profile = useNotebook(turn.notebook_id).data?.profile;
  if (profile !== "product") return null;
  const { answer_mode: mode, intent, technology } = turn.route ?? {};
  const taken = isOf(MODES, mode) ? t(`taken.${mode}`) : asWords(mode);
  const wanted = isOf(INTENTS, intent) ? t(`wanted.${intent}`) : asWords(intent);
  const about = typeof technology === "string" && technology ? t("answer.technology", { name: technology }) : "";
  const level = turn.coverage ? LEVELS[turn.coverage] : undefined;
  const chips = [taken, intent === mode ? "" : wanted, about, level ? t("answer.evidence", { level: t(level) }) : ""].filter(Boolean);
  if (chips.length === 0) return null;
  return (
    <ul className={styles.chips} data-testid="answer-chips">
      {chips.map((chip) => (
        <li key={chip}>{chip}</li>
      ))}
    </ul>
  );
}
