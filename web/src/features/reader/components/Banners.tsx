import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { readerAddress, readerPlace } from "@/features/citations/lib/address";
import { VerdictIcon } from "@/features/citations/components/VerdictIcon";
import type { PlacedMark } from "@/features/citations/lib/marks";
import { verdictReason, verdictWords } from "@/features/citations/lib/verdict";
import type { Source } from "@/shared/api/types";
import { date, t as translate, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { Note } from "@/shared/ui/Note";
import { toast } from "@/shared/ui/toast";
import { findIn } from "../lib/find";
import { readAllPassages, textKey } from "../lib/queries";
import styles from "./Reader.module.css";

export interface BannersProps {
  source: Source;
  /** What is shown is not the current reading. */
  isEarlier: boolean;
  mark: PlacedMark | null;
  /** Whether the quote could be marked; null while that is not known. */
  isMarked: boolean | null;
}

/** What must be known before the source is read: the verdict in words, an earlier reading, where a page was saved from. */
export function Banners({ source, isEarlier, mark, isMarked }: BannersProps) {
  return (
    <>
      {mark ? <Verdict mark={mark} isMarked={isMarked} /> : null}
      {isEarlier ? <Earlier source={source} quote={mark?.use?.quote ?? mark?.citation.quote ?? ""} /> : null}
      {source.kind === "url" && source.url ? <Saved source={source} url={source.url} /> : null}
    </>
  );
}

function Verdict({ mark, isMarked }: { mark: PlacedMark; isMarked: boolean | null }) {
  const t = useT();
  return (
    <div className={styles.verdict} data-verdict={mark.state} data-testid="reader-verdict">
      <span className={styles.chip}>
        <VerdictIcon state={mark.state} size={12} />
        {mark.n}
      </span>
      <p>
        <strong>{verdictWords(mark.state, t)}.</strong> {verdictReason(mark.state, mark.use, t)}
        {isMarked === false && mark.use?.quote ? ` ${t("reader.notMarked")}` : null}
      </p>
    </div>
  );
}

function Saved({ source, url }: { source: Source; url: string }) {
  const t = useT();
  const isWeb = /^https?:\/\//i.test(url);
  return (
    <p className={styles.saved}>
      {t("reader.saved", { date: date(source.ready_at ?? source.created_at) })}
      {isWeb ? (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {t("reader.original")} <Icon name="external" size={14} />
        </a>
      ) : null}
    </p>
  );
}

function Earlier({ source, quote }: { source: Source; quote: string }) {
  const t = useT();
  const look = useLookInNew(source, quote);
  return (
    <div className={styles.note}>
      <Note tone="warning" icon="warning" testId="earlier-reading">
        {t("reader.earlier", { date: date(source.ready_at ?? source.updated_at) })}{" "}
        {quote ? (
          <Button look="link" onClick={() => void look()}>
            {t("reader.lookNew")}
          </Button>
        ) : null}
      </Note>
    </div>
  );
}

/** Searches the quote in the current reading and goes there; says so when it is not there any more. */
function useLookInNew(source: Source, quote: string): () => Promise<void> {
  const client = useQueryClient();
  const [path, navigate] = useLocation();
  return async () => {
    try {
      const passages = await client.fetchQuery({ queryKey: [...textKey(source.id, source.reading_id), "all"], queryFn: ({ signal }) => readAllPassages(source.id, source.reading_id, signal) });
      const at = findIn(passages, quote)[0];
      if (!at) return toast(translate("reader.notInNew"));
      const place = readerPlace(location.search);
      const notebookId = path.split("/")[2] ?? "";
      navigate(readerAddress({ notebookId, sourceId: source.id, ...place, at, reading: null }), { replace: true, state: history.state as unknown });
    } catch {
      toast(translate("reader.failed"), { tone: "error" });
    }
  };
}
