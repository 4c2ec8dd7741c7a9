import { lazy, Suspense, type ReactNode } from "react";
import { Link, useLocation, useRoute } from "wouter";
import { Gone } from "@/app/workspace/Gone";
import { Shell } from "@/app/Shell";
import { useAssistant, type Assistant } from "@/features/assistants/api";
import { assistantAddress, isPart, PART_NAMES, PARTS, type Part } from "@/features/assistants/lib/places";
import { Fields } from "@/features/assistants/parts/Fields";
import { HandOver } from "@/features/assistants/parts/HandOver";
import { Hosts } from "@/features/assistants/parts/Hosts";
import { LookPart } from "@/features/assistants/parts/LookPart";
import { People } from "@/features/assistants/parts/People";
import { Publish } from "@/features/assistants/parts/Publish";
import { Sources } from "@/features/assistants/parts/Sources";
import { Start } from "@/features/assistants/parts/Start";
import { TryIt } from "@/features/assistants/parts/TryIt";
import { FoundFor } from "@/features/chat/why/FoundFor";
import { Questions } from "@/features/misses/components/Questions";
import { ApiError } from "@/shared/api/client";
import { AskedHolder } from "@/shared/api/holder";
import { useT } from "@/shared/i18n/i18n";
import { ASSISTANTS } from "@/shared/lib/addresses";
import { useTitle } from "@/shared/lib/title";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

const HostDocs = lazy(() => import("@/app/HostDocs"));

/** `/assistants/:id/:part`. */
export default function AssistantPage() {
  const [, params] = useRoute("/assistants/:id/:part?");
  return params ? <Opened key={params.id} id={params.id} part={isPart(params.part) ? params.part : "start"} /> : null;
}

function Opened({ id, part }: { id: string; part: Part }) {
  const t = useT();
  const found = useAssistant(id);
  const row = found.data;
  useTitle(row ? `${row.name} · ${t(PART_NAMES[part])}` : undefined);
  if (found.error instanceof ApiError && (found.error.status === 404 || found.error.status === 422)) return <Gone />;
  return (
    <Shell title={row?.name ?? ""} above={<Link href={ASSISTANTS}>{t("assistants.title")}</Link>}>
      <nav aria-label={row?.name ?? ""} className={styles.tabs}>
        {PARTS.map((one) => (
          <Link key={one} href={assistantAddress(id, one)} className={styles.tab} aria-current={one === part ? "page" : undefined}>
            {t(PART_NAMES[one])}
          </Link>
        ))}
      </nav>
      {found.isError ? <Trouble error={found.error} onRetry={() => void found.refetch()} /> : null}
      {row ? <Body row={row} part={part} /> : null}
    </Shell>
  );
}

function Body({ row, part }: { row: Assistant; part: Part }): ReactNode {
  const [, go] = useLocation();
  const canChange = row.role !== "viewer";
  // What was saved elsewhere meanwhile is shown from the start again: forms keep their own copy.
  const kept = `${part} ${row.updated_at}`;
  switch (part) {
    case "start":
      return <Start key={kept} row={row} canChange={canChange} />;
    case "sources":
      return <Sources row={row} />;
    case "answers":
    case "limits":
      return <Fields key={kept} row={row} canChange={canChange} part={part} />;
    case "try":
      return <TryIt row={row} how={(turnId) => <FoundFor place={{ notebookId: null, conversation: null, turnId }} />} />;
    case "people":
      return <People row={row} />;
    case "hosts":
      return (
        <Hosts
          key={kept}
          row={row}
          canChange={canChange}
          docs={(onClose) => (
            <Suspense>
              <HostDocs onClose={onClose} />
            </Suspense>
          )}
        />
      );
    case "publish":
      return <Publish row={row} canChange={canChange} />;
    case "look":
      return <LookPart key={kept} row={row} canChange={canChange} />;
    case "handover":
      return <HandOver key={kept} row={row} canChange={canChange} />;
    case "questions":
      return (
        <AskedHolder value="assistants">
          <Questions notebookId={row.id} onAdd={() => go(assistantAddress(row.id, "sources"))} />
        </AskedHolder>
      );
  }
}
