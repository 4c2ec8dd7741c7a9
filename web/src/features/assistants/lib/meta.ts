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
