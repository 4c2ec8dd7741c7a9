/** What the reader asks the gateway for. Texts of a reading never change, so they are fetched once. */

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, apiUrl } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { OutlineItem, Page, PageBoxes, PageWords, Passage, Source, Turn } from "@/shared/api/types";
import { BLOCK, type TablePart } from "./table";

const WINDOW = 12; // passages a request: a section each, or 200,000 characters at most

interface PassagePage extends Page<Passage> {
  reading_id: string;
  /** When that reading was made. */
  read_at: string | null;
  /** False: the file was replaced since, only its text is left. */
  is_same_file: boolean;
}

/** Texts of a reading never change: they stand apart from the source's row, which every hint of the feed fetches again. */
export const textKey = (id: string, reading: string | null) => ["texts", id, reading] as const;

const withReading = (path: string, reading: string | null): string => (reading ? `${path}${path.includes("?") ? "&" : "?"}reading=${reading}` : path);

export function useSource(id: string) {
  return useQuery({ queryKey: keys.source(id), queryFn: ({ signal }) => api.get<Source>(`/sources/${id}`, signal) });
}

export function useTurn(id: string | null) {
  return useQuery({
    queryKey: keys.turn(id ?? ""),
    queryFn: ({ signal }) => api.get<Turn>(`/turns/${id}`, signal),
    enabled: id !== null,
    staleTime: 60_000,
  });
}

export function useOutline(id: string, reading: string | null) {
  return useQuery({
    queryKey: [...textKey(id, reading), "outline"],
    queryFn: ({ signal }) => api.get<{ items: OutlineItem[] }>(withReading(`/sources/${id}/outline`, reading), signal),
    staleTime: Infinity,
    retry: false,
  });
}

/** Passages around `first`, growing in both directions. */
export function usePassages(id: string, reading: string | null, first: number) {
  return useInfiniteQuery({
    queryKey: [...textKey(id, reading), "passages", first],
    queryFn: ({ pageParam, signal }) =>
      api.get<PassagePage>(withReading(`/sources/${id}/passages?from=${pageParam.from}&limit=${pageParam.limit}`, reading), signal),
    initialPageParam: { from: Math.max(0, first - 2), limit: WINDOW },
    getNextPageParam: (page) => {
      const last = page.items.at(-1);
      return page.next_cursor && last ? { from: last.passage + 1, limit: WINDOW } : undefined;
    },
    getPreviousPageParam: (page) => {
      const from = page.items[0]?.passage ?? 0;
      return from > 0 ? { from: Math.max(0, from - WINDOW), limit: Math.min(WINDOW, from) } : undefined;
    },
    staleTime: Infinity,
  });
}

/** Every passage of a reading, window by window. */
export async function readAllPassages(id: string, reading: string | null, signal?: AbortSignal): Promise<Passage[]> {
  const found: Passage[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: PassagePage = await api.get<PassagePage>(withReading(`/sources/${id}/passages?from=${from}&limit=100`, reading), signal);
    found.push(...page.items);
    const last = page.items.at(-1);
    from = page.next_cursor && last ? last.passage + 1 : null;
  }
  return found;
}

const allPassagesKey = (id: string, reading: string | null) => [...textKey(id, reading), "all"] as const;

/** For the search. */
export function useAllPassages(id: string, reading: string | null, isOn: boolean) {
  return useQuery({
    queryKey: allPassagesKey(id, reading),
    queryFn: ({ signal }) => readAllPassages(id, reading, signal),
    enabled: isOn,
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

export function useWords(id: string, reading: string | null, page: number, isOn: boolean) {
  return useQuery({
    queryKey: [...textKey(id, reading), "words", page],
    queryFn: ({ signal }) => api.get<PageWords>(withReading(`/sources/${id}/pages/${page}/words`, reading), signal),
    enabled: isOn,
    staleTime: Infinity,
    retry: 1,
  });
}

export function useBoxes(id: string, reading: string | null, page: number, range: { start: number; end: number } | null) {
  return useQuery({
    queryKey: [...textKey(id, reading), "boxes", page, range],
    queryFn: ({ signal }) => api.get<PageBoxes>(withReading(`/sources/${id}/pages/${page}/boxes?start=${range?.start}&end=${range?.end}`, reading), signal),
    enabled: range !== null && range.end > range.start,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    retry: 1,
  });
}

/** Magnified pages are drawn finer; the default is enough for a column on a dense screen. */
const FINE_DPI = 216;
export const pictureUrl = (id: string, reading: string | null, page: number, isFine: boolean): string =>
  apiUrl(withReading(`/sources/${id}/pages/${page}.jpg${isFine ? `?dpi=${FINE_DPI}` : ""}`, reading));

/** The page with passage `ordinal` alone; it also tells when the reading was made. */
export function usePassageAt(id: string, reading: string | null, ordinal: number, isOn: boolean) {
  return useQuery({
    queryKey: [...textKey(id, reading), "one", ordinal],
    queryFn: ({ signal }) => api.get<PassagePage>(withReading(`/sources/${id}/passages?from=${ordinal}&limit=1`, reading), signal),
    enabled: isOn,
    staleTime: Infinity,
    retry: 1,
  });
}

const LONGEST_PICTURE = 100; // passages of one picture; one or two as a rule

/** The passages of one page or picture, by its number from 1; a plain picture's have none and all belong to it. */
export function usePageText(id: string, reading: string | null, page: number, isPicture: boolean, isOn: boolean) {
  const [from, limit] = isPicture ? [0, LONGEST_PICTURE] : [page - 1, 1];
  return useQuery({
    queryKey: [...textKey(id, reading), "page text", from, limit],
    queryFn: ({ signal }) => api.get<PassagePage>(withReading(`/sources/${id}/passages?from=${from}&limit=${limit}`, reading), signal),
    enabled: isOn,
    staleTime: Infinity,
    retry: 1,
    select: ({ items }) => items.filter((item) => (item.page ?? 1) === page),
  });
}

/** Rows of a sheet, a block of `BLOCK` at a time; `sheet` null: the first one. */
export const tableQuery = (id: string, reading: string | null, sheet: string | null, block: number) => ({
  queryKey: [...textKey(id, reading), "table", sheet, block],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<TablePart> => {
    const name = sheet === null ? "" : `sheet=${encodeURIComponent(sheet)}&`;
    const end = (block + 1) * BLOCK;
    const part = (from: number) => api.get<TablePart>(withReading(`/sources/${id}/table?${name}from=${from}&to=${end}`, reading), signal);
    // Very long rows come a few at a time: the rest of the block is asked for until it is there.
    let found = await part(block * BLOCK + 1);
    while (found.to < Math.min(end, found.total)) {
      const more = await part(found.to + 1);
      if (more.to <= found.to) break;
      found = { ...found, to: more.to, rows: [...found.rows, ...more.rows] };
    }
    return found;
  },
  staleTime: Infinity,
  retry: 1,
});

/** A recording as a browser can play it. */
export const soundUrl = (id: string): string => apiUrl(`/sources/${id}/file?variant=playable`);
