import { Link } from "wouter";
import { Quote } from "@/features/citations/components/Quote";
import { citedAddress } from "@/features/citations/lib/address";
import { locator } from "@/features/citations/lib/locator";
import type { AnswerScope } from "@/features/citations/lib/scope";
import { useT } from "@/shared/i18n/i18n";
import type { Citation } from "@/shared/api/types";
import { MODELS } from "@/shared/lib/addresses";
import { copyText } from "@/shared/lib/clipboard";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { Note } from "@/shared/ui/Note";
import { DEGRADED } from "../lib/degraded";
import type { ChatTurn } from "../lib/request";
import styles from "./Turn.module.css";

const ENDS = /[.!?\u2026\u3002\uff01\uff1f]["\u201d\u2019\u00bb)\]\s]*$/; // of a passage that is shown whole

/** What must be known before the answer is read: carried passages, quotes only, a part that was missing. */
export function LeadNotes({ turn }: { turn: ChatTurn }) {
  const t = useT();
  const isCarried = turn.citations.some((citation) => citation.carried) || (turn.carried ?? 0) > 0;
  const degraded = turn.degraded ?? [];
  const pending = typeof turn.pending_sources === "number" ? turn.pending_sources : (turn.pending_sources?.length ?? 0);
  return (
    <>
      {isCarried ? <Lead text={t("answer.followUp")} /> : null}
      {degraded.includes("no_chat_model") && turn.citations.length > 0 ? (
        <Note icon="book" testId="quoted">
          {t("answer.quotesOnly")}{" "}
          <Link href={MODELS}>
            {t("answer.connect")}
          </Link>
        </Note>
      ) : null}
      {pending > 0 ? <Lead text={t("answer.pending", { n: pending })} isWarning /> : null}
      {degraded.filter((part) => part !== "indexing" || pending === 0).map((part) => (DEGRADED[part] ? <Lead key={part} text={t(DEGRADED[part])} isWarning /> : null))}
    </>
  );
}

function Lead({ text, isWarning = false }: { text: string; isWarning?: boolean }) {
  return (
    <p className={styles.lead}>
      <Icon name={isWarning ? "warning" : "undo"} size={16} />
      {text}
    </p>
  );
}

/**
 * Nothing found: the sentence, and what came nearest, never with a mark. The sentence is also said of a text that a model wrote from
 * nothing; where that text is itself the honest line, which states nothing, it is not said twice.
 */
export function Closest({ turn, onOpen, onWhy }: { turn: ChatTurn; onOpen: AnswerScope; onWhy: (turnId: string) => void }) {
  const t = useT();
  const closest = turn.closest ?? [];
  const isNothing = turn.reply_kind === "none" && turn.citations.length === 0;
  if (!isNothing && closest.length === 0) return null;
  return (
    <>
      {isNothing && (!turn.answer || (turn.checks?.total ?? 0) > 0) ? (
        <p className={styles.nothing} data-testid="nothing-found">
          {t("answer.nothing")}
        </p>
      ) : null}
      {closest.length > 0 ? (
        <div className={styles.closest} data-testid="closest">
          <h4>{t("answer.closest")}</h4>
          {closest.slice(0, 3).map((near) => (
            <Near key={near.chunk_id} near={near} scope={onOpen} />
          ))}
        </div>
      ) : null}
      <p>
        <Button look="link" small onClick={() => onWhy(turn.id)} data-testid="why-nothing">
          {t("answer.whyNothing")}
        </Button>
      </p>
    </>
  );
}

function Near({ near, scope }: { near: Citation; scope: AnswerScope }) {
  const t = useT();
  const after = near.quote && !ENDS.test(near.quote) ? "…" : "";
  const use = near.uses?.[0] ?? { statement: 0, quote: near.quote, start: near.start, end: near.end, context: { before: "", after }, verdict: null, evidence: null };
  const href = citedAddress(scope.notebookId, near, use, { turn: scope.turnId, conversation: scope.conversationId });
  return (
    <div className={styles.near}>
      <p className={styles.nearHead}>
        <span className={styles.nearTitle} dir="auto">
          {[near.source_title, locator(near, t)].filter(Boolean).join(" · ")}
        </span>
        <Link href={href}>{near.page ? t("card.openPage") : t("card.open")}</Link>
      </p>
      <Quote use={use} />
    </div>
  );
}

/** How an answer ended when it did not end well. */
export function EndNote({ turn, isLast, onAgain }: { turn: ChatTurn; isLast: boolean; onAgain: () => void }) {
  const t = useT();
  if (turn.status === "stopped" || turn.finish === "stopped") {
    return (
      <Note icon="stop" testId="stopped">
        {t("answer.stopped")}
      </Note>
    );
  }
  if (turn.status !== "failed" && turn.finish !== "broken") return null;
  const code = turn.error?.code;
  return (
    <Note tone="warning" icon="warning" testId="broken">
      {t(turn.answer ? "answer.broken" : "answer.failed")} {turn.error?.message ? <span>{turn.error.message} </span> : null}
      {isLast ? (
        <Button look="link" onClick={onAgain}>
          {t("chat.askAgain")}
        </Button>
      ) : null}{" "}
      {code ? (
        <Button look="link" onClick={() => void copyText(`${code} ${turn.id}`)}>
          {t("answer.copyCode", { id: code })}
        </Button>
      ) : null}
    </Note>
  );
}
