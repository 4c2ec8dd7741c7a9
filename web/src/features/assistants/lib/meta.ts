/** What a product's sources say of themselves (`meta`), in words; a value that a corpus invents stays as it is. */

import type { Key, t as translate } from "@/shared/i18n/i18n";

const VALUES: Record<string, Readonly<Record<string, Key>>> = {
  evidence: { product: "assistants.evidence_product", reference: "assistants.evidence_reference" },
  claim: { mechanism: "assistants.claim_mechanism", design: "assistants.claim_design", chemistry: "assistants.claim_chemistry" },
  transfer: {
    validated: "assistants.transfer_validated", shared: "assistants.transfer_shared", compatible: "assistants.transfer_compatible", analogy: "assistants.transfer_analogy",
  },
};
const LABELS = [["evidence", null], ["technology", "assistants.meta_technology"], ["claim", "assistants.meta_claim"], ["transfer", "assistants.meta_transfer"]] as const;

function valuesOf(meta: Record<string, unknown>, name: string, t: typeof translate): string {
  const given: unknown[] = [meta[name]].flat();
  const words = given.filter((one): one is string | number => typeof one === "string" || typeof one === "number").map((one) => {
    const key = VALUES[name]?.[String(one)];
    return key ? t(key) : String(one).replaceAll("_", " ");
  });
  return words.filter(Boolean).join(", ");
}

/** One chip for each field that is set. */
export function metaChips(meta: Record<string, unknown>, t: typeof translate): string[] {
  return LABELS.flatMap(([name, label]) => {
    const value = valuesOf(meta, name, t);
    return value === "" ? [] : [label ? t(label, { value }) : value];
  });
}

export const EVIDENCE = ["product", "reference"] as const;
export const CLAIMS = ["mechanism", "design", "chemistry"] as const;
export const TRANSFERS = ["validated", "shared", "compatible", "analogy"] as const;

/** A field of `meta` as text: one value, or several parted by commas. */
export function metaText(meta: Record<string, unknown>, name: string): string {
  const given: unknown[] = [meta[name]].flat();
  return given.filter((one): one is string | number => typeof one === "string" || typeof one === "number").join(", ");
}

/** The fields of a form: null leaves a field as it is, "" takes it away, "a, b" are two values. */
export type MetaChange = Readonly<Record<"evidence" | "technology" | "claim" | "transfer", string | null>>;

/** What `meta` is after such a change; every other field stays. */
export function changedMeta(meta: Record<string, unknown>, change: MetaChange): Record<string, unknown> {
  const next = { ...meta };
  for (const [name, text] of Object.entries(change)) {
    if (text === null || text === metaText(meta, name)) continue;
    const values = text.split(",").map((one) => one.trim()).filter(Boolean);
    if (values.length === 0) delete next[name];
    else next[name] = values.length === 1 ? values[0] : values;
  }
  return next;
}
