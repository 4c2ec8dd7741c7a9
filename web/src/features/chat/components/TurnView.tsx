import { lazy, Suspense, useEffect, useMemo, useRef } from "react";
import { AnswerText } from "@/features/citations/components/AnswerText";
import { AnswerContext, type AnswerScope } from "@/features/citations/lib/scope";
import { placeStatements } from "@/features/citations/lib/statements";
import { announce } from "@/shared/lib/announce";
import { t as translate, useT } from "@/shared/i18n/i18n";
import type { AnswerStyle } from "../lib/request";
import type { ShownTurn } from "../lib/shown";
import { Closest, EndNote, LeadNotes } from "./Notes";
import { Stage } from "./Stage";
import { Summary } from "./Summary";
import styles from "./Turn.module.css";

const Cards = lazy(() => import("./Cards"));
const Fallback = lazy(() => import("./Fallback"));

export interface TurnViewProps {
  shown: ShownTurn;
  /** How many sources the notebook gives. */
  sources: number;
  isLast: boolean;
  onOpen: (mark: HTMLElement, shown: ShownTurn) => void;
  onAgain: (style?: AnswerStyle) => void;
  onWhy: (turnId: string) => void;
  /** The switch between versions, or nothing. */
  versions: React.ReactNode;
}

/** A question and its answer: growing, ended, or broken off. */
export function TurnView({ shown, sources, isLast, onOpen, onAgain, onWhy, versions }: TurnViewProps) {
  const t = useT();
  const { turn, live } = shown;
  const isGrowing = live !== null && live.growing.phase !== "ended";
  const scope = useScopeOf(shown, onOpen);
  useReadyWords(shown, isGrowing);
  const hasText = (turn.answer ?? "") !== "";
  return (
    <div className={styles.turn} data-testid="turn" data-turn={shown.key} data-status={turn.status}>
      <p className={styles.question} dir="auto" data-testid="question">
        {turn.question}
      </p>
      <article className={styles.answer} aria-label={t("answer.name")} aria-busy={isGrowing} data-testid="answer">
        <LeadNotes turn={turn} />
        {hasText ? (
          <AnswerContext value={scope}>
            <AnswerText text={turn.answer ?? ""} isGrowing={isGrowing} />
          </AnswerContext>
        ) : null}
        {live && isGrowing ? <Stage live={live} sources={sources} /> : null}
        {isGrowing ? null : (
          <>
            {(turn.cards?.length ?? 0) > 0 ? (
              <Suspense>
                <Cards turn={turn} />
              </Suspense>
            ) : null}
            {turn.fallback && turn.sources.length > 0 ? (
              <Suspense>
                <Fallback turn={turn} />
              </Suspense>
            ) : null}
            <Closest turn={turn} onOpen={scope} onWhy={onWhy} />
            <EndNote turn={turn} isLast={isLast} onAgain={() => onAgain()} />
            <Summary turn={turn} turnKey={shown.key} sources={sources} isLast={isLast} onAgain={onAgain} onWhy={onWhy} versions={versions} />
          </>
        )}
      </article>
    </div>
  );
}

function useScopeOf(shown: ShownTurn, onOpen: TurnViewProps["onOpen"]): AnswerScope {
  const { turn, key } = shown;
  const { answer, checks, citations } = turn;
  const isQuoted = turn.route?.["answer_mode"] === "quoted" || (turn.degraded ?? []).includes("no_chat_model");
  // Before the check there are no statements, so a growing answer does not make a new scope.
  const checkedAnswer = checks ? answer : null;
  const statements = useMemo(() => placeStatements(checkedAnswer ?? "", checks), [checkedAnswer, checks]);
  const latest = useRef({ shown, onOpen });
  useEffect(() => {
    latest.current = { shown, onOpen };
  });
  return useMemo(
    () => ({
      turnKey: key,
      turnId: turn.id,
      notebookId: turn.notebook_id,
      conversationId: turn.conversation_id,
      citations,
      statements,
      isChecked: checks !== null,
      isQuoted,
      open: (mark) => latest.current.onOpen(mark, latest.current.shown),
    }),
    [key, turn.id, turn.notebook_id, turn.conversation_id, citations, statements, checks, isQuoted],
  );
}

/** Said once, when an answer that was watched is done. */
function useReadyWords(shown: ShownTurn, isGrowing: boolean): void {
  const wasGrowing = useRef(isGrowing);
  useEffect(() => {
    if (wasGrowing.current && !isGrowing && shown.turn.status === "done") {
      const checks = shown.turn.checks;
      announce(checks && checks.total > 0 ? translate("chat.ready", { found: checks.found, total: checks.total }) : translate("chat.readyPlain"));
    }
    wasGrowing.current = isGrowing;
  }, [isGrowing, shown]);
}
