import { AnswerText } from "@/features/citations/components/AnswerText";
import { AnswerContext, type AnswerScope } from "@/features/citations/lib/scope";
import { useT } from "@/shared/i18n/i18n";
import { Dialog } from "@/shared/ui/Dialog";
import text from "@docs/host-applications.md?raw";

const SCOPE: AnswerScope = {
  turnKey: "host-docs", turnId: null, notebookId: "", conversationId: null, citations: [], statements: [], isChecked: true, isQuoted: true, host: "dialog",
  open: () => undefined,
};

/** The documentation of this version, which is in English. */
export default function HostDocs({ onClose }: { onClose: () => void }) {
  const t = useT();
  return (
    <Dialog open onClose={onClose} size="large" title={t("assistants.hostsDocs")} testId="host-docs">
      <div lang="en">
        <AnswerContext value={SCOPE}>
          <AnswerText text={text.replace(/^# .*\n/, "")} isGrowing={false} />
        </AnswerContext>
      </div>
    </Dialog>
  );
}
