import { describe, expect, it } from "vitest";
import { format, placeholders, pluralCases } from "@/shared/i18n/format";
import csAccess from "@/shared/i18n/cs/access.json";
import csMore from "@/shared/i18n/cs/assistants.json";
import csOwn from "@/shared/i18n/cs/catalogue";
import deAccess from "@/shared/i18n/de/access.json";
import deMore from "@/shared/i18n/de/assistants.json";
import deOwn from "@/shared/i18n/de/catalogue";
import enAccess from "@/shared/i18n/en/access.json";
import enMore from "@/shared/i18n/en/assistants.json";
import enOwn from "@/shared/i18n/en/catalogue";
import esAccess from "@/shared/i18n/es/access.json";
import esMore from "@/shared/i18n/es/assistants.json";
import esOwn from "@/shared/i18n/es/catalogue";
import frAccess from "@/shared/i18n/fr/access.json";
import frMore from "@/shared/i18n/fr/assistants.json";
import frOwn from "@/shared/i18n/fr/catalogue";

const others: Record<string, Record<string, string>> = {
  de: { ...deOwn, ...deMore, ...deAccess }, cs: { ...csOwn, ...csMore, ...csAccess }, es: { ...esOwn, ...esMore, ...esAccess }, fr: { ...frOwn, ...frMore, ...frAccess },
};
const english: Record<string, string> = { ...enOwn, ...enMore, ...enAccess };
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
