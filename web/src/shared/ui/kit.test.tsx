import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { setLanguage } from "@/shared/i18n/i18n";
import { Field } from "@/shared/ui/Field";
import { Menu } from "@/shared/ui/Menu";
import { Progress } from "@/shared/ui/Progress";
import { Tabs } from "@/shared/ui/Tabs";

beforeAll(() => setLanguage("en"));
afterEach(cleanup);

describe("a menu", () => {
  const open = () => {
    const done: string[] = [];
    const item = (label: string) => ({ label, run: () => done.push(label) });
    render(<Menu label="Actions" items={[item("Open"), "line", item("Rename"), { ...item("Remove"), disabled: true }]} />);
    fireEvent.click(screen.getByRole("button", { name: "Actions" }));
    return { done, press: (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key }) };
  };

  it("begins at its first command and goes round with the arrows", () => {
    const { press } = open();
    expect(document.activeElement?.textContent).toBe("Open");
    press("ArrowDown");
    expect(document.activeElement?.textContent).toBe("Rename");
    press("ArrowDown");
    press("ArrowDown");
    expect(document.activeElement?.textContent).toBe("Open");
  });

  it("finds a command by its first letter", () => {
    const { press } = open();
    press("r");
    expect(document.activeElement?.textContent).toBe("Rename");
  });

  it("closes on Esc and gives focus back to its button", () => {
    const { press } = open();
    press("Escape");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Actions" }));
  });

  it("runs what is chosen, but nothing that is disabled", () => {
    const { done } = open();
    fireEvent.click(screen.getByRole("menuitem", { name: "Remove" }));
    fireEvent.click(screen.getByRole("menuitem", { name: "Rename" }));
    expect(done).toEqual(["Rename"]);
  });
});

describe("tabs", () => {
  function Two() {
    const [value, setValue] = useState<"a" | "b">("a");
    return (
      <Tabs label="Two" value={value} onChange={setValue} tabs={[{ value: "a", label: "A" }, { value: "b", label: "B" }]}>
        {value}
      </Tabs>
    );
  }

  it("move and choose with the arrows, and one of them is in the tab order", () => {
    render(<Two />);
    fireEvent.keyDown(screen.getByRole("tab", { name: "A" }), { key: "ArrowRight" });
    expect(screen.getByRole("tab", { name: "B" }).getAttribute("aria-selected")).toBe("true");
    expect(screen.getByRole("tabpanel").textContent).toBe("b");
    expect(screen.getAllByRole("tab").filter((tab) => tab.tabIndex === 0)).toHaveLength(1);
  });
});

it("a field's error is linked to its control", () => {
  render(<Field label="Year" error="A year has four digits.">{(ids) => <input {...ids} />}</Field>);
  const input = screen.getByLabelText("Year");
  expect(input.getAttribute("aria-invalid")).toBe("true");
  expect(document.getElementById(input.getAttribute("aria-describedby") ?? "")?.textContent).toBe("A year has four digits.");
});

it("a bar without a known end has no value", () => {
  render(<Progress done={3} of={null} label="Paper" />);
  expect(screen.getByRole("progressbar", { name: "Paper" }).hasAttribute("aria-valuenow")).toBe(false);
});
