import { Link } from "wouter";
import type { UsageCall, UsageMonth } from "@/shared/api/types";
import { date, useT, type Key } from "@/shared/i18n/i18n";
import { workspaceAddress } from "@/shared/lib/addresses";
import { costOf, type Amount } from "../lib/cost";
import styles from "./Usage.module.css";

const ROLES: Record<string, Key> = {
  chat: "usage.role.chat", embedding: "usage.role.embedding", vision: "usage.role.vision", speech: "usage.role.speech", voice: "usage.role.voice",
  translate: "usage.role.translate", caption: "usage.role.caption", entailment: "usage.role.entailment",
};

const ELSEWHERE: Record<string, Key> = { library: "usage.library" };

/** What a call was counted in: tokens in and out, pictures, or seconds of sound; "~" where we counted ourselves. */
function amountOf(call: UsageCall, count: (n: number | null) => string, t: ReturnType<typeof useT>): string {
  if (call.pages !== null) return t("usage.pictures", { n: call.pages });
  if (call.seconds !== null) return t("usage.seconds", { n: Math.round(call.seconds) });
  return `${call.is_estimated ? "~ " : ""}${count(call.tokens_in)} / ${count(call.tokens_out)}`;
}

/** By what for, by notebook, and every call. */
export function UsageTables({ month, calls }: { month: UsageMonth; calls: readonly UsageCall[] }) {
  const t = useT();
  const unknown = t("ui.unknown");
  const cost = (amount: Amount, others = 0): string => costOf(amount, others, month.currency, unknown);
  const role = (name: string): string => (ROLES[name] ? t(ROLES[name]) : name);
  const titles = new Map(month.by_holder.map((row) => [row.holder_id ?? "", row.title]));
  const count = (n: number | null): string => (n === null ? unknown : n.toLocaleString());
  if (calls.length === 0 && month.by_role.length === 0) return <p className={styles.none}>{t("usage.none")}</p>;
  return (
    <>
      <div className={styles.pair}>
        <Table name={t("usage.byRole")} heads={[t("usage.col.what"), t("usage.col.calls"), t("usage.col.cost")]}>
          {month.by_role.map((row) => (
            <tr key={row.role}>
              <th scope="row">{role(row.role)}</th>
              <td className={styles.number}>{count(row.calls)}</td>
              <td className={styles.number}>{cost(row.cost, row.unknown)}</td>
            </tr>
          ))}
        </Table>
        <Table name={t("usage.byHolder")} heads={[t("usage.col.where"), t("usage.col.calls"), t("usage.col.cost")]}>
          {month.by_holder.map((row) => (
            <tr key={`${row.holder_kind} ${row.holder_id}`}>
              <th scope="row" dir="auto">
                {row.holder_kind === "notebook" && row.holder_id && row.title ? <Link href={workspaceAddress(row.holder_id)}>{row.title}</Link> : (row.title ?? t(ELSEWHERE[row.holder_kind] ?? "usage.elsewhere"))}
              </th>
              <td className={styles.number}>{count(row.calls)}</td>
              <td className={styles.number}>{cost(row.cost, row.unknown)}</td>
            </tr>
          ))}
        </Table>
      </div>
      <Table name={t("usage.calls")} heads={[t("usage.col.when"), t("usage.col.what"), t("usage.col.model"), t("usage.col.where"), t("usage.col.tokens"), t("usage.col.cost")]} from={4} testId="usage-calls">
        {calls.map((call) => (
          <tr key={call.id}>
            <td>{date(call.at, { dateStyle: "medium", timeStyle: "short" })}</td>
            <td>{role(call.role)}</td>
            <td dir="auto">{call.model}</td>
            <td dir="auto">{titles.get(call.notebook_id ?? call.assistant_id ?? "") ?? unknown}</td>
            <td className={styles.number}>{amountOf(call, count, t)}</td>
            <td className={styles.number}>{cost(call.cost)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** `from`: the first column of numbers. */
function Table({ name, heads, from = 1, testId, children }: { name: string; heads: readonly string[]; from?: number; testId?: string; children: React.ReactNode }) {
  return (
    <section className={styles.part}>
      <h2>{name}</h2>
      <div className={styles.card} role="region" aria-label={name} tabIndex={0}>
        <table className={styles.table} data-testid={testId}>
          <thead>
            <tr>
              {heads.map((head, at) => (
                <th key={head} scope="col" className={at >= from ? styles.number : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}
