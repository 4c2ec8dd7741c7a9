import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, apiUrl } from "@/shared/api/client";
import type { UsageMonth } from "@/shared/api/types";
import { currentLanguage, money, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Trouble } from "@/shared/ui/Trouble";
import toolbar from "@/shared/ui/Toolbar.module.css";
import { costOf } from "../lib/cost";
import { lastMonths, monthName, thisMonth } from "../lib/months";
import { UsageTables } from "./UsageTables";
import styles from "./Usage.module.css";

const MONTHS = 12;

/** State 32: a month's spend, by what for and by notebook, its cap, and every call; what is not known is "–", never 0. */
export function Usage() {
  const t = useT();
  const [month, setMonth] = useState(() => thisMonth(new Date()));
  const usage = useInfiniteQuery({
    queryKey: ["usage", month],
    queryFn: ({ pageParam, signal }) => api.get<UsageMonth>(`/usage?month=${month}${pageParam ? `&cursor=${encodeURIComponent(pageParam)}` : ""}`, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.calls.next_cursor ?? undefined,
  });
  const first = usage.data?.pages[0];
  const calls = usage.data?.pages.flatMap((page) => page.calls.items) ?? [];
  return (
    <>
      <div className={toolbar.toolbar}>
        <select className={toolbar.pick} aria-label={t("usage.month")} value={month} onChange={(event) => setMonth(event.target.value)}>
          {lastMonths(new Date(), MONTHS).map((one) => (
            <option key={one} value={one}>
              {monthName(one, currentLanguage())}
            </option>
          ))}
        </select>
        <a className={styles.csv} href={apiUrl(`/usage/file?month=${month}`)} download>
          {t("usage.csv")}
        </a>
      </div>
      {usage.isError ? <Trouble error={usage.error} onRetry={() => void usage.refetch()} /> : null}
      {first ? <Sums month={first} /> : null}
      {first ? <UsageTables month={first} calls={calls} /> : null}
      {usage.hasNextPage ? (
        <p className={styles.more}>
          <Button disabled={usage.isFetchingNextPage} onClick={() => void usage.fetchNextPage()}>
            {t("usage.more")}
          </Button>
        </p>
      ) : null}
    </>
  );
}

function Sums({ month }: { month: UsageMonth }) {
  const t = useT();
  const sum = (amount: string | null): string => (amount === null ? t("ui.unknown") : money(amount, month.currency));
  const rows = [
    [t("usage.total"), costOf(month.total, month.unknown, month.currency, t("ui.unknown"))],
    ...(month.cap === null ? [] : [[t("usage.cap"), sum(month.cap)]]),
    ...(month.balance === null ? [] : [[t("usage.balance"), sum(month.balance)]]),
  ];
  return (
    <>
      <dl className={styles.sums} data-testid="usage-sums">
        {rows.map(([name, amount]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{amount}</dd>
          </div>
        ))}
      </dl>
      {month.unknown > 0 ? <p className={styles.unknown}>{t("usage.unknownSome", { n: month.unknown })}</p> : null}
    </>
  );
}
