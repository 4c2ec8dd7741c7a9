import { Fragment, Suspense, type ReactNode } from "react";
import { Mark } from "./Mark";
import { bindMarks, type Bound } from "../markdown/bind";
import type { Content } from "../markdown/content";
import { parseInline, type Inline } from "../markdown/inline";
import { useAnswer } from "../lib/scope";
import { cutByUncited, type Placed } from "../lib/statements";
import { useT } from "@/shared/i18n/i18n";
import { LazyEquation } from "./LazyEquation";
import styles from "./AnswerText.module.css";

/** The words of a block, with their marks; what the model wrote as markup stays text. */
export function InlineText({ content, isOpen }: { content: Content; isOpen: boolean }) {
  const { statements, isQuoted } = useAnswer();
  const inline = parseInline(content, isOpen);
  return <>{nodes(isQuoted ? inline.map(asRunning) : inline, statements)}</>;
}

/** A line end inside a quote is the page's layout: a blank, or nothing where a word was parted. */
function asRunning(node: Inline, at: number, all: readonly Inline[]): Inline {
  if (node.kind !== "break") return node;
  const before = all[at - 1];
  const isParted = before?.kind === "text" && before.value.endsWith("\u00ad");
  return { kind: "text", value: isParted ? "" : " ", start: node.start };
}

function nodes(inline: readonly Inline[], statements: readonly Placed[]): ReactNode {
  return bindMarks(inline).map((node, at) => <Fragment key={at}>{one(node, statements)}</Fragment>);
}

function one(node: Bound, statements: readonly Placed[]): ReactNode {
  switch (node.kind) {
    case "text":
      return <Words text={node.value} start={node.start} statements={statements} />;
    case "bound":
      return <span className={styles.bound}>{node.nodes.map((inner, at) => <Fragment key={at}>{one(inner, statements)}</Fragment>)}</span>;
    case "mark":
      return <Mark n={node.n} at={node.start} />;
    case "strong":
      return <strong>{nodes(node.children, statements)}</strong>;
    case "em":
      return <em>{nodes(node.children, statements)}</em>;
    case "code":
      return <code className={styles.inlineCode}>{node.value}</code>;
    case "break":
      return <br />;
    case "math":
      return (
        <Suspense fallback={<code>{node.value}</code>}>
          <LazyEquation text={node.value} isBlock={false} />
        </Suspense>
      );
  }
}

/** Text, underlined where a statement names no source. */
function Words({ text, start, statements }: { text: string; start: number; statements: readonly Placed[] }) {
  const pieces = cutByUncited(start, text.length, statements);
  if (pieces.length === 1 && !pieces[0]?.uncited) return text;
  return pieces.map(({ from, to, uncited }) => {
    const piece = text.slice(from, to);
    if (!uncited || piece.trim() === "") return <Fragment key={from}>{piece}</Fragment>;
    const isEnd = start + to >= uncited.end;
    return uncited.status === "yours" ? <Yours key={from} text={piece} isEnd={isEnd} /> : <Uncited key={from} text={piece} isEnd={isEnd} isStart={start + from <= uncited.start} />;
  });
}

/** In a note: a person's own words, which no source was compared with. */
function Yours({ text, isEnd }: { text: string; isEnd: boolean }) {
  const t = useT();
  return (
    <span className={styles.yours} title={t("notes.yoursWhy")} data-testid="yours">
      {text}
      {isEnd ? <span className={styles.yoursWord}>{t("notes.yours")}</span> : null}
    </span>
  );
}

function Uncited({ text, isStart, isEnd }: { text: string; isStart: boolean; isEnd: boolean }) {
  const t = useT();
  return (
    <span
      className={styles.uncited}
      data-testid={isStart ? "uncited" : undefined}
      data-doubt={isStart ? "" : undefined}
      tabIndex={isStart ? -1 : undefined}
      title={`${t("answer.uncited")}. ${t("answer.uncitedWhy")}`}
    >
      {text}
      {isEnd ? <span className="heard"> ({t("answer.uncited")})</span> : null}
    </span>
  );
}
