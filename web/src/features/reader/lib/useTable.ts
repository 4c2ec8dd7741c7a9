/** A sheet of a table, loaded in blocks around the view. */

import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { tableQuery } from "./queries";
import { BLOCK, blocksOf, columnWidths, type TablePart, type TableRow } from "./table";

export interface Sheet {
  /** Its first block: sheets, header and size; undefined until it is there. */
  readonly first: TablePart | undefined;
  readonly widths: readonly number[];
  readonly error: Error | null;
  readonly refetch: () => void;
}

/** The beginning of a sheet (null: the first one), from which its size and columns are known. */
export function useSheet(id: string, reading: string | null, sheet: string | null): Sheet {
  const query = useQuery({ ...tableQuery(id, reading, sheet, 0), placeholderData: keepPreviousData });
  const first = query.data;
  const widths = useMemo(() => (first ? columnWidths(first.header, first.rows) : []), [first]);
  return { first, widths, error: query.error, refetch: () => void query.refetch() };
}

/** The rows `from` to `to` (from 1) by their number, as far as they have arrived; those that are not there yet are absent. */
export function useRows(id: string, reading: string | null, sheet: string | null, from: number, to: number): { rows: ReadonlyMap<number, TableRow>; isLoaded: (row: number) => boolean } {
  const blocks = blocksOf(from, to);
  return useQueries({
    queries: blocks.map((block) => tableQuery(id, reading, sheet, block)),
    combine: (results) => {
      const rows = new Map(results.flatMap((result) => (result.data?.rows ?? []).map((row) => [row.row, row] as const)));
      // Very long rows come short of their block: what was not looked at is not empty.
      const ends = new Map(blocks.flatMap((block, at) => (results[at]?.isFetched ? [[block, results[at].data?.to ?? Infinity] as const] : [])));
      return { rows, isLoaded: (row: number) => row <= (ends.get(Math.floor((row - 1) / BLOCK)) ?? 0) };
    },
  });
}
