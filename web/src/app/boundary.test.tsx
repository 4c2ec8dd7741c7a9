import { render, screen } from "@testing-library/react";
import { beforeAll, expect, it, vi } from "vitest";
import { Boundary } from "@/app/Boundary";
import { setLanguage } from "@/shared/i18n/i18n";

beforeAll(() => setLanguage("en"));

function Broken(): never {
  throw new Error("a piece of an older version is gone");
}

it("a screen that cannot be drawn gives words and a way on", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined); // React repeats the error there
  render(
    <Boundary>
      <Broken />
    </Boundary>,
  );
  expect(screen.getByTestId("boundary").textContent).toContain("Nothing was lost.");
  expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});
