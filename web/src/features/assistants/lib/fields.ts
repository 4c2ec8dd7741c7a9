/** The fields of a profile as controls, made of the JSON schema that the server gives: numbers, switches, choices; the rest as JSON. */

export interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  items?: Schema;
}

export type Control = "switch" | "choice" | "number" | "words" | "json";

export interface FieldOf {
  readonly section: string;
  readonly name: string;
  readonly control: Control;
  readonly description: string;
  readonly options: readonly string[];
  readonly isInteger: boolean;
  readonly canBeNull: boolean;
  readonly minimum: number | null;
  readonly maximum: number | null;
}

export type Values = Record<string, Record<string, unknown>>;

const CODE = String.raw`(?:[A-Z]{1,2}\d*-?\d+)`;
const ASIDES = new RegExp(String.raw`\s*\((?:[^()]*?[,;] )?${CODE}(?:(?:, | and | to |-)${CODE})*\)`, "g");
const SENTENCES = new RegExp(String.raw`\s*(?:Conflicts?|Sources?:)[^.]*?${CODE}[^.]*\.?`, "g");

/** A description without the marks by which the code's own readers find where a rule comes from. */
export const plainWords = (text: string): string => text.replace(ASIDES, "").replace(SENTENCES, "").replace(/;? ?decisions "[^"]*"\.?/g, "").trim();

const plainOf = (schema: Schema): Schema => schema.anyOf?.find((one) => one.type !== "null") ?? schema;

function controlOf(schema: Schema): Control {
  if (schema.enum) return "choice";
  if (schema.type === "boolean") return "switch";
  if (schema.type === "integer" || schema.type === "number") return "number";
  return schema.type === "string" ? "words" : "json";
}

function fieldOf(section: string, name: string, schema: Schema): FieldOf {
  const plain = plainOf(schema);
  return {
    section, name, control: controlOf(plain), description: plainWords(schema.description ?? plain.description ?? ""),
    options: (plain.enum ?? []).map(String), isInteger: plain.type === "integer",
    canBeNull: schema.anyOf?.some((one) => one.type === "null") ?? false,
    minimum: plain.minimum ?? plain.exclusiveMinimum ?? null, maximum: plain.maximum ?? null,
  };
}

export interface SectionOf {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly FieldOf[];
}

/** The sections of a profile in the schema's order; fields that stand alone (as `wording`) are left out. */
export function sectionsOf(schema: Schema): SectionOf[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, given]) => {
    const reference = plainOf(given).$ref ?? "";
    const found = schema.$defs?.[reference.replace("#/$defs/", "")];
    if (!found?.properties) return [];
    const fields = Object.entries(found.properties).map(([field, one]) => fieldOf(name, field, one));
    return [{ name, description: plainWords(found.description ?? ""), fields }];
  });
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const valueOf = (values: Values, field: FieldOf): unknown => values[field.section]?.[field.name];

/** `values` with one field changed. */
export function withValue(values: Values, field: FieldOf, value: unknown): Values {
  return { ...values, [field.section]: { ...values[field.section], [field.name]: value } };
}

/** The defaults with what differs from them put over. */
export function merged(defaults: Values, over: Values): Values {
  const sections = Object.entries(defaults).map(([name, fields]) => [name, typeof fields === "object" && fields !== null ? { ...fields, ...over[name] } : fields]);
  return Object.fromEntries(sections) as Values;
}

/** What to send: fields that changed since `before`; null takes one back to the profile's own. */
export function changeOf(before: Values, after: Values, defaults: Values): Values {
  const change: Values = {};
  for (const [section, fields] of Object.entries(after)) {
    for (const [name, value] of Object.entries(fields ?? {})) {
      if (same(value, before[section]?.[name])) continue;
      change[section] = { ...change[section], [name]: same(value, defaults[section]?.[name]) ? null : value };
    }
  }
  return change;
}

export const differs = (values: Values, defaults: Values, field: FieldOf): boolean => !same(valueOf(values, field), valueOf(defaults, field));

/** "max_passages_model" as a person reads it. */
export const labelOf = (name: string): string => name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
