import katex from "katex";
import { useLayoutEffect, useRef } from "react";

/** An equation as MathML: drawn by the browser, so it needs no fonts, no style sheet and no markup from text. */
export default function Equation({ text, isBlock }: { text: string; isBlock: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const span = place.current;
    if (!span) return;
    try {
      katex.render(text, span, { output: "mathml", displayMode: isBlock, throwOnError: true, trust: false, maxExpand: 200, maxSize: 20 });
      // The annotation repeats the source text; it would be read out and copied twice.
      for (const annotation of span.querySelectorAll("annotation")) annotation.remove();
    } catch {
      span.textContent = text; // not TeX after all: what was written is shown as it is
    }
  }, [text, isBlock]);
  return <span ref={place} data-testid="equation" dir="ltr" />;
}
