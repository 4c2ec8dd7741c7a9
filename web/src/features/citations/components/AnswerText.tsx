import { memo, Suspense, useState } from "react";
import type { Block, Item } from "../markdown/blocks";
import { GrowingBlocks } from "../markdown/growing";
import type { Content } from "../markdown/content";
import { useT } from "@/shared/i18n/i18n";
import { InlineText } from "./InlineText";
import { LazyEquation } from "./LazyEquation";
import styles from "./AnswerText.module.css";

/** The text of an answer. While it grows only its last two blocks are parsed and only what changed is rendered. */
export function AnswerText({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const [growing] = useState(() => new GrowingBlocks());
  const blocks = growing.read(text);
  return (
    <div className={styles.text} dir="auto">
      {blocks.map((block, at) => (
        <BlockView key={block.start} block={block} isOpen={isGrowing && at === blocks.length - 1} />
      ))}
    </div>
  );
}

const BlockView = memo(function BlockView({ block, isOpen }: { block: Block; isOpen: boolean }) {
  switch (block.kind) {
    case "paragraph":
      return (
        <p>
          <InlineText content={block.content} isOpen={isOpen} />
        </p>
      );
    case "heading":
      return (
        <p className={styles.heading} role="heading" aria-level={3}>
          <InlineText content={block.content} isOpen={isOpen} />
        </p>
      );
    case "code":
      return (
        <pre className={styles.code} tabIndex={0} dir="ltr">
          <code>{block.text}</code>
        </pre>
      );
    case "equation":
      return <EquationBlock text={block.text} isOpen={isOpen} />;
    case "quote":
      return <blockquote className={styles.quote}>{inside(block.blocks, isOpen)}</blockquote>;
    case "rule":
      return <hr className={styles.rule} />;
    case "table":
      return <Table block={block} />;
    case "list":
      return <List block={block} isOpen={isOpen} />;
  }
});

function inside(blocks: readonly Block[], isOpen: boolean) {
  return blocks.map((block, at) => <BlockView key={block.start} block={block} isOpen={isOpen && at === blocks.length - 1} />);
}

function List({ block, isOpen }: { block: Extract<Block, { kind: "list" }>; isOpen: boolean }) {
  const items = block.items.map((item, at) => <ItemView key={item.start} item={item} isOpen={isOpen && at === block.items.length - 1} />);
  return block.ordered ? (
    <ol className={styles.list} start={block.first}>
      {items}
    </ol>
  ) : (
    <ul className={styles.list}>{items}</ul>
  );
}

const ItemView = memo(function ItemView({ item, isOpen }: { item: Item; isOpen: boolean }) {
  return <li>{inside(item.blocks, isOpen)}</li>;
});

function Table({ block }: { block: Extract<Block, { kind: "table" }> }) {
  const t = useT();
  const cell = (content: Content, at: number) => ({ key: at, className: styles[block.align[at] ?? "start"], children: <InlineText content={content} isOpen={false} /> });
  return (
    <div className={styles.scroll} role="region" aria-label={t("answer.table")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {block.head.map((content, at) => {
              const { key, ...rest } = cell(content, at);
              return <th key={key} scope="col" {...rest} />;
            })}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, line) => (
            <tr key={line}>
              {row.map((content, at) => {
                const { key, ...rest } = cell(content, at);
                return <td key={key} {...rest} />;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EquationBlock({ text, isOpen }: { text: string; isOpen: boolean }) {
  const source = <code className={styles.source}>{text}</code>;
  if (isOpen) return source; // half an equation is no equation yet
  return (
    <Suspense fallback={source}>
      <LazyEquation text={text} isBlock />
    </Suspense>
  );
}
