/** Where the parts of a JSON text stand: an error that names a part is shown with its line, and a text that is no JSON with its place. */

export interface Place {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export interface Places {
  /** By path, as `0.reads.1.path`; the whole is "". */
  readonly parts: ReadonlyMap<string, number>;
  /** Offset at which it stops being JSON. */
  readonly fault: number | null;
}

const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\r\n]*/y;
const DEEPEST = 100;

class Scan {
  at = 0;
  readonly parts = new Map<string, number>();

  constructor(private readonly text: string) {}

  /** False where the text stops being JSON, with `at` there. */
  value(path: string, depth: number): boolean {
    this.take(SPACE);
    if (!this.parts.has(path)) this.parts.set(path, this.at);
    if (depth > DEEPEST) return false;
    const sign = this.text[this.at];
    if (sign === "{") return this.list("}", () => this.member(path, depth));
    if (sign === "[") {
      let n = -1;
      return this.list("]", () => this.value(join(path, String((n += 1))), depth + 1));
    }
    return this.take(sign === '"' ? STRING : LITERAL) !== null;
  }

  /** Whether nothing but blanks is left. */
  isOver(): boolean {
    this.take(SPACE);
    return this.at === this.text.length;
  }

  private list(end: string, one: () => boolean): boolean {
    this.at += 1;
    if (this.sign(end)) return true;
    do {
      if (!one()) return false;
    } while (this.sign(","));
    return this.sign(end);
  }

  private member(path: string, depth: number): boolean {
    this.take(SPACE);
    const at = this.at;
    const name = this.take(STRING);
    if (name === null) return false;
    const inside = join(path, JSON.parse(name) as string);
    this.parts.set(inside, at);
    return this.sign(":") && this.value(inside, depth + 1);
  }

  private sign(wanted: string): boolean {
    this.take(SPACE);
    if (this.text[this.at] !== wanted) return false;
    this.at += 1;
    return true;
  }

  private take(what: RegExp): string | null {
    what.lastIndex = this.at;
    const found = what.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

export function placesIn(text: string): Places {
  const scan = new Scan(text);
  const isWhole = scan.value("", 0) && scan.isOver();
  return { parts: scan.parts, fault: isWhole ? null : scan.at };
}

/** Offset of the part that a path names, else of the nearest part around it. */
export function offsetOf(places: Places, path: string): number {
  for (let named = path; named !== ""; named = named.slice(0, Math.max(0, named.lastIndexOf(".")))) {
    const found = places.parts.get(named);
    if (found !== undefined) return found;
  }
  return places.parts.get("") ?? 0;
}

export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
