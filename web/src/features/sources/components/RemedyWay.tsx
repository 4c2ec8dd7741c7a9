import { useLocation } from "wouter";
import { useApprove, useDeed } from "@/features/sources/api";
import { PasswordField } from "@/features/sources/components/PasswordField";
import type { Remedy } from "@/features/sources/lib/reasons";
import type { Source } from "@/shared/api/types";
import { useT, type Key } from "@/shared/i18n/i18n";
import { MODELS } from "@/shared/lib/addresses";
import { Button } from "@/shared/ui/Button";

interface WayProps {
  remedy: Remedy;
  source: Source;
  notebookId: string;
  /** In a row the words are short and look like links; in the report they are buttons that say all. */
  look: "link" | "plain";
  onDone?: (() => void) | undefined;
}

type Words = { short: Key; full: Key };
const WORDS: Record<Exclude<Remedy, "password" | "approve">, Words> = {
  connect_vision: { short: "remedy.connect", full: "report.connect_vision" },
  connect_speech: { short: "remedy.connect", full: "report.connect_speech" },
  pictures: { short: "remedy.pictures", full: "report.read_pictures" },
  retry: { short: "ui.try_again", full: "ui.try_again" },
  fetch: { short: "sources.fetch_again", full: "sources.fetch_again" },
  read_on: { short: "status.read_on", full: "status.read_on" },
  reread: { short: "sources.reread", full: "sources.reread" },
};

/** One thing that can be done about what was not read. */
export function RemedyWay({ remedy, source, notebookId, look, onDone }: WayProps) {
  const t = useT();
  const [, go] = useLocation();
  const deed = useDeed(notebookId);
  const approve = useApprove(notebookId);
  const isSmall = look === "link";
  if (remedy === "password") return <PasswordField source={source} notebookId={notebookId} look={look} onDone={onDone} />;
  if (remedy === "approve") {
    const say = (pages: "all" | "text") => (): void => approve.mutate({ ids: [source.id], pages }, { onSuccess: () => onDone?.() });
    return (
      <>
        <Button look={look} small={isSmall} disabled={approve.isPending} onClick={say("all")}>
          {t("status.approve_all")}
        </Button>
        <Button look={look} small={isSmall} disabled={approve.isPending} onClick={say("text")}>
          {t("status.approve_text")}
        </Button>
      </>
    );
  }
  const run = (): void => {
    if (remedy === "connect_vision" || remedy === "connect_speech") return go(MODELS);
    const after = { onSuccess: () => onDone?.() };
    if (remedy === "pictures") deed.mutate({ id: source.id, deed: "reread", capture: "auto" }, after);
    else deed.mutate({ id: source.id, deed: remedy === "retry" || remedy === "read_on" ? "retry" : "reread" }, after);
  };
  return (
    <Button look={look} small={isSmall} disabled={deed.isPending} onClick={run}>
      {t(WORDS[remedy][isSmall ? "short" : "full"])}
    </Button>
  );
}
