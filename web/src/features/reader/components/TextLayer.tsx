import { memo, useLayoutEffect, useMemo, useRef } from "react";
import type { PageWords } from "@/shared/api/types";
import { layWords, widthOf, type LaidWord } from "../lib/layer";
import styles from "./PageView.module.css";

/** The words of a page over its picture: unseen, but there for selection, copying, the browser's search and screen readers. */
export const TextLayer = memo(function TextLayer({ words, width, height }: { words: PageWords; width: number; height: number }) {
  const laid = useMemo(() => layWords(words.items), [words]);
  const layer = useRef<HTMLDivElement>(null);
  // Places are set as properties: the page's policy forbids style attributes, and 500 words need no 500 renders.
  useLayoutEffect(() => {
    const spans = layer.current?.children ?? [];
    laid.forEach((word, at) => {
      const span = spans[at];
      if (span instanceof HTMLElement) put(span, word, width, height);
    });
  }, [laid, width, height]);
  return (
    <div ref={layer} className={styles.layer} dir="auto">
      {laid.map((word, at) => (
        <span key={at} data-from={word.start}>
          {word.text + word.after}
        </span>
      ))}
    </div>
  );
});

function put(span: HTMLElement, word: LaidWord, width: number, height: number): void {
  const size = word.height * height * 0.86;
  const natural = widthOf(word.text, size);
  span.style.left = `${word.x * 100}%`;
  span.style.top = `${word.y * 100}%`;
  span.style.fontSize = `${size}px`;
  span.style.height = `${word.height * height}px`;
  span.style.transform = natural > 0 ? `scaleX(${(word.width * width) / natural})` : "";
}
