import { useState } from "react";
import { Link, useLocation } from "wouter";
import { useAssistants, useTrashAssistant, type Assistant } from "@/features/assistants/api";
import { NewAssistant } from "@/features/assistants/components/NewAssistant";
import { assistantAddress } from "@/features/assistants/lib/places";
import { ago, useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Menu } from "@/shared/ui/Menu";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

const MODES: Record<string, Key> = { off: "assistants.off", signed_in: "assistants.signedIn", public: "assistants.public" };

/** Whom it answers now: nobody before it was published. */
export function stateWords(row: Assistant): Key {
  return row.published_at ? (MODES[row.publication.mode] ?? "assistants.off") : "assistants.draft";
}

/** All assistants as cards. */
export function AssistantList() {
  const t = useT();
  const assistants = useAssistants();
  if (assistants.isError) return <Trouble error={assistants.error} onRetry={() => void assistants.refetch()} />;
  if (!assistants.data) return null;
  if (assistants.data.length === 0) return <p data-testid="assistants-empty">{t("assistants.empty")}</p>;
  return (
    <ul className={styles.list} data-testid="assistants">
      {assistants.data.map((row) => (
        <Card key={row.id} row={row} />
      ))}
    </ul>
  );
}

function Card({ row }: { row: Assistant }) {
  const t = useT();
  const trash = useTrashAssistant();
  return (
    <li className={styles.card}>
      <div className={styles.top}>
        <Link href={assistantAddress(row.id)} className={styles.name} dir="auto">
          {row.name}
        </Link>
        {row.role === "owner" ? (
          <span className={styles.menu}>
            <Menu label={t("assistants.more", { name: row.name })} icon="more" items={[{ label: t("assistants.trash"), icon: "trash", run: () => trash.mutate(row) }]} />
          </span>
        ) : null}
      </div>
      <p className={styles.meta}>
        <strong>{t(stateWords(row))}</strong>
        {row.published_at && row.has_changes ? ` · ${t("assistants.hasChanges")}` : ""}
      </p>
      <p className={styles.meta}>
        {t("assistants.sourceCount", { n: row.sources.given })}
        {row.last_asked_at ? ` · ${t("assistants.asked", { ago: ago(row.last_asked_at) })}` : ""}
      </p>
    </li>
  );
}

export function NewAssistantButton() {
  const t = useT();
  const [, go] = useLocation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" icon="add" onClick={() => setOpen(true)}>
        {t("assistants.new")}
      </Button>
      {isOpen ? <NewAssistant onClose={() => setOpen(false)} onMade={(made) => go(assistantAddress(made.id, "sources"))} /> : null}
    </>
  );
}
