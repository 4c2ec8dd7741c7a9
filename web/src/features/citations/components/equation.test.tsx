import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import Equation from "./Equation";

// KaTeX looks when it is loaded: it draws nothing in a document without a doctype, which the one of these tests is.
vi.hoisted(() => Object.defineProperty(document, "compatMode", { value: "CSS1Compat" }));

afterEach(cleanup);

function drawn(text: string, isBlock = false): HTMLElement {
  render(<Equation text={text} isBlock={isBlock} />);
  return screen.getByTestId("equation");
}

describe("an equation", () => {
  it("is MathML that is read and copied once", () => {
    const span = drawn("\\frac{a}{b}", true);
    expect(span.querySelector("math mfrac")).not.toBeNull();
    expect(span.querySelector("math")?.getAttribute("display")).toBe("block");
    expect(span.querySelector("annotation")).toBeNull();
    expect(span.textContent).toBe("ab");
  });

  it.each([
    "\\href{javascript:alert(1)}{x}", "\\url{http://evil.invalid/}", "\\includegraphics{http://evil.invalid/a.png}",
    "\\htmlStyle{background:url(http://evil.invalid/b)}{x}", "\\htmlData{a=b}{x}", "<img src=http://evil.invalid/c>",
  ])("fetches and opens nothing: %s", (text) => {
    const span = drawn(text);
    expect(span.textContent).toBeTruthy();
    expect(span.querySelectorAll("a, img, [href], [src], [style*=url], script")).toHaveLength(0);
  });

  it.each(["\\frac{a}{", "\\def\\a{\\a\\a}\\a", "\\unknown{x}"])("that cannot be drawn is shown as it was written: %s", (text) => {
    expect(drawn(text).textContent).toBe(text);
  });
});
