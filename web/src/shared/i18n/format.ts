/**
 * Messages with `{name}` and `{n, plural, one {# source} other {# sources}}`: the part of ICU MessageFormat that the
 * catalogues use, without its 20 kB. `#` is the number, written as the language writes numbers.
 */

export type Params = Record<string, string | number>;
type Plural = { kind: "plural"; name: string; cases: Map<string, Node[]> };
type Node = string | { kind: "value"; name: string } | Plural;

const parsed = new Map<string, Node[]>();

/** The text of `message` in `locale`; a parameter that was not given stays visible as `{name}`. */
export function format(message: string, params: Params, locale: string): string {
  let nodes = parsed.get(message);
  if (!nodes) {
    nodes = parse(message);
    parsed.set(message, nodes);
  }
  return write(nodes, params, locale, null);
}

/** Names of the placeholders in `message`; for the test that holds the catalogues together. */
export function placeholders(message: string): string[] {
  const names = new Set<string>();
  const visit = (nodes: Node[]): void => {
    for (const node of nodes) {
      if (typeof node === "string") continue;
      names.add(node.name);
      if (node.kind === "plural") for (const inner of node.cases.values()) visit(inner);
    }
  };
  visit(parse(message));
  return [...names].sort();
}

/** The plural categories each plural of `message` spells out. */
export function pluralCases(message: string): string[][] {
  return parse(message).flatMap((node) => (typeof node !== "string" && node.kind === "plural" ? [[...node.cases.keys()]] : []));
}

function write(nodes: Node[], params: Params, locale: string, count: number | null): string {
  return nodes.map((node) => writeOne(node, params, locale, count)).join("");
}

function writeOne(node: Node, params: Params, locale: string, count: number | null): string {
  if (typeof node === "string") return count === null ? node : node.replaceAll("#", number(count, locale));
  const value = params[node.name];
  if (node.kind === "value") {
    if (value === undefined) return `{${node.name}}`;
    return typeof value === "number" ? number(value, locale) : value;
  }
  const n = Number(value);
  const chosen = node.cases.get(`=${n}`) ?? node.cases.get(rules(locale).select(n)) ?? node.cases.get("other") ?? [];
  return write(chosen, params, locale, n);
}

const numbers = new Map<string, Intl.NumberFormat>();
export function number(value: number, locale: string): string {
  let formatter = numbers.get(locale);
  if (!formatter) {
    formatter = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
    numbers.set(locale, formatter);
  }
  return formatter.format(value);
}

const plurals = new Map<string, Intl.PluralRules>();
function rules(locale: string): Intl.PluralRules {
  let found = plurals.get(locale);
  if (!found) {
    found = new Intl.PluralRules(locale);
    plurals.set(locale, found);
  }
  return found;
}

function parse(message: string): Node[] {
  let at = 0;
  const until = (stop: string): string => {
    const end = message.indexOf(stop, at);
    if (end < 0) throw new Error(`message has no closing "${stop}": ${message}`);
    const piece = message.slice(at, end);
    at = end + stop.length;
    return piece;
  };
  const plural = (name: string): Plural => {
    const cases = new Map<string, Node[]>();
    while (message[at] !== "}") {
      const key = until("{").trim();
      cases.set(key, nodes(true));
      while (message[at] === " ") at += 1;
      if (at >= message.length) throw new Error(`plural is not closed: ${message}`);
    }
    at += 1;
    return { kind: "plural", name, cases };
  };
  const argument = (): Node => {
    const end = message.slice(at).search(/[,}]/);
    if (end < 0) throw new Error(`placeholder is not closed: ${message}`);
    const name = message.slice(at, at + end).trim();
    at += end + 1;
    if (message[at - 1] === "}") return { kind: "value", name };
    if (until(",").trim() !== "plural") throw new Error(`only plural is known: ${message}`);
    while (message[at] === " ") at += 1;
    return plural(name);
  };
  function nodes(inside: boolean): Node[] {
    const out: Node[] = [];
    let text = "";
    while (at < message.length) {
      const character = message[at] ?? "";
      at += 1;
      if (character === "}" && inside) break;
      if (character !== "{") {
        text += character;
        continue;
      }
      if (text) out.push(text);
      text = "";
      out.push(argument());
    }
    if (text) out.push(text);
    return out;
  }
  return nodes(false);
}
