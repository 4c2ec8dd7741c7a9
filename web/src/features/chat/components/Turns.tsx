import { lazy, memo, Suspense, useState } from "react";
import { ApiError } from "@/shared/api/client";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { Note } from "@/shared/ui/Note";
import { lastOutOfHistory, type Exchange, type ShownTurn } from "../lib/shown";
import type { AnswerStyle } from "../lib/request";
import type { useChat } from "../lib/useChat";
import { TurnView } from "./TurnView";
import styles from "../Chat.module.css";
import turnStyles from "./Turn.module.css";

const Guide = lazy(() => import("./Guide"));

export interface TurnsProps {
  notebookId: string;
  chat: ReturnType<typeof useChat>;
  sources: number;
  onOpen: (mark: HTMLElement, shown: ShownTurn) => void;
  onAgain: (style?: AnswerStyle) => void;
  onWhy: (turnId: string) => void;
}

/** The turns of a conversation, or what to do in a new one. */
export function Turns({ notebookId, chat, sources, onOpen, onAgain, onWhy }: TurnsProps) {
  const { list, query } = chat;
  if (list.length === 0) return query.isError ? <Failed error={query.error} onAgain={() => void query.refetch()} /> : query.isLoading ? null : <Start notebookId={notebookId} hasReady={sources > 0} />;
  const out = lastOutOfHistory(list);
  return list.map((exchange, at) => (
    <ExchangeView key={exchange.root} exchange={exchange} isLast={at === list.length - 1} isOutAfter={at === out} sources={sources} onOpen={onOpen} onAgain={onAgain} onWhy={onWhy} />
  ));
}

interface ExchangeProps extends Omit<TurnsProps, "chat" | "notebookId"> {
  exchange: Exchange;
  isLast: boolean;
  isOutAfter: boolean;
}

/** Exchanges are made anew with every piece of text; what counts is whether a version in them changed. */
function isSame(before: ExchangeProps, after: ExchangeProps): boolean {
  const { exchange, ...rest } = before;
  const isSameRest = (Object.keys(rest) as (keyof typeof rest)[]).every((name) => before[name] === after[name]);
  const versions = after.exchange.versions;
  return isSameRest && exchange.versions.length === versions.length && exchange.versions.every((version, at) => version === versions[at]);
}

const ExchangeView = memo(function ExchangeView({ exchange, isLast, isOutAfter, ...rest }: ExchangeProps) {
  const t = useT();
  const { versions } = exchange;
  const [chosen, setChosen] = useState<string | null>(null);
  const found = versions.findIndex((version) => version.key === chosen);
  const at = found < 0 ? versions.length - 1 : found;
  const shown = versions[at];
  if (!shown) return null;
  const choose = (to: number): void => setChosen(to === versions.length - 1 ? null : (versions[to]?.key ?? null));
  return (
    <>
      <TurnView shown={shown} isLast={isLast} {...rest} versions={versions.length > 1 ? <Versions at={at} count={versions.length} onChoose={choose} /> : null} />
      {isOutAfter ? <p className={styles.historyLine}>{t("answer.historyEnds")}</p> : null}
    </>
  );
}, isSame);

function Versions({ at, count, onChoose }: { at: number; count: number; onChoose: (to: number) => void }) {
  const t = useT();
  return (
    <span className={turnStyles.versions} data-testid="versions">
      <IconButton small icon="chevronLeft" label={t("answer.versionBefore")} disabled={at === 0} onClick={() => onChoose(at - 1)} />
      <span aria-label={t("answer.version", { k: at + 1, n: count })}>
        {at + 1}/{count}
      </span>
      <IconButton small icon="chevronRight" label={t("answer.versionAfter")} disabled={at === count - 1} onClick={() => onChoose(at + 1)} />
    </span>
  );
}

function Start({ notebookId, hasReady }: { notebookId: string; hasReady: boolean }) {
  const t = useT();
  return (
    <div className={styles.start} data-testid="start">
      <h2>{t("chat.start")}</h2>
      <p>{t("chat.startMore")}</p>
      <Suspense>
        <Guide notebookId={notebookId} hasReady={hasReady} />
      </Suspense>
    </div>
  );
}

function Failed({ error, onAgain }: { error: Error; onAgain: () => void }) {
  const t = useT();
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Note tone={isGone ? "plain" : "error"} icon="warning">
      {t(isGone ? "talks.gone" : "talks.failed")}{" "}
      {isGone ? null : (
        <Button look="link" onClick={onAgain}>
          {t("refused.tryAgain")}
        </Button>
      )}
    </Note>
  );
}
