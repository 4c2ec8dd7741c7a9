import { describe, expect, it } from "vitest";
import { format, placeholders, pluralCases } from "@/shared/i18n/format";
import cs from "@/shared/i18n/cs/catalogue";
import de from "@/shared/i18n/de/catalogue";
import en from "@/shared/i18n/en/catalogue";
import es from "@/shared/i18n/es/catalogue";
import fr from "@/shared/i18n/fr/catalogue";

const others: Record<string, Record<string, string>> = { de, cs, es, fr };
const english: Record<string, string> = en;
const FORBIDDEN = /\b(oops|AI|verified|trusted)\b|!/i;

describe("catalogues", () => {
  it.each(Object.keys(others))("%s has exactly the keys of English", (locale) => {
    expect(Object.keys(others[locale] ?? {}).sort()).toEqual(Object.keys(english).sort());
  });

  it.each(Object.keys(others))("every message of %s has the placeholders of English", (locale) => {
    for (const [key, message] of Object.entries(others[locale] ?? {})) {
      expect([key, placeholders(message)]).toEqual([key, placeholders(english[key] ?? "")]);
    }
  });

  it.each(["en", ...Object.keys(others)])("every plural of %s spells out the forms its language needs", (locale) => {
    const needed = new Set([0, 1, 2, 3, 5, 11, 100].map((n) => new Intl.PluralRules(locale).select(n)));
    for (const [key, message] of Object.entries(others[locale] ?? english)) {
      for (const cases of pluralCases(message)) {
        for (const form of needed) expect([key, cases]).toEqual([key, expect.arrayContaining([form])]);
      }
    }
  });

  it("no English text shouts or claims truth", () => {
    for (const [key, message] of Object.entries(english)) expect([key, FORBIDDEN.test(message)]).toEqual([key, false]);
  });
});

describe("format", () => {
  it("a plural takes the form of the number and writes it", () => {
    const message = "{n, plural, one {# source} other {# sources}} in {title}";
    expect(format(message, { n: 1, title: "A" }, "en")).toBe("1 source in A");
    expect(format(message, { n: 1200, title: "A" }, "en")).toBe("1,200 sources in A");
  });

  it("an exact case goes before the form", () => {
    expect(format("{n, plural, =0 {none} one {#} other {#}}", { n: 0 }, "en")).toBe("none");
  });

  it("a placeholder without a value stays visible", () => {
    expect(format("see {name}", {}, "en")).toBe("see {name}");
  });
});
