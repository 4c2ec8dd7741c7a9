import { VerdictIcon } from "@/features/citations/components/VerdictIcon";
import type { PlacedMark } from "@/features/citations/lib/marks";
import { verdictReason, verdictWords } from "@/features/citations/lib/verdict";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Earlier } from "./Earlier";
import { Saved } from "./Saved";
import styles from "./Reader.module.css";

export interface BannersProps {
  source: Source;
  /** What is shown is not the current reading. */
  isEarlier: boolean;
  /** When that reading was made; null while it is not known. */
  readAt: string | null;
  /** Pictures and sound of what was read are still there. */
  hasFile: boolean;
  mark: PlacedMark | null;
  /** Whether the quote could be marked; null while that is not known. */
  isMarked: boolean | null;
}

/** What must be known before the source is read: the verdict in words, an earlier reading, where a page was saved from. */
export function Banners({ source, isEarlier, readAt, hasFile, mark, isMarked }: BannersProps) {
  return (
    <>
      {mark ? <Verdict mark={mark} isMarked={isMarked} /> : null}
      {isEarlier ? <Earlier source={source} readAt={readAt} hasFile={hasFile} quote={mark?.use?.quote ?? mark?.citation.quote ?? ""} /> : null}
      {source.kind === "url" && source.url ? <Saved source={source} url={source.url} savedAt={isEarlier ? readAt : (source.fetched_at ?? source.ready_at ?? source.created_at)} /> : null}
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
