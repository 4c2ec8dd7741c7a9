import { RoleRow } from "@/features/models/components/RoleRow";
import { ApiError } from "@/shared/api/client";
import { useModels } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/models/components/Models.module.css";

const ORDER = ["chat", "embedding", "vision", "speech", "voice", "translate", "caption", "entailment"];

/** State 30: one row per role, in plain words. */
export function Models() {
  const t = useT();
  const models = useModels(true, undefined, true);
  if (models.error instanceof ApiError && models.error.status === 403) return <Note icon="lock">{t("models.only_admin")}</Note>;
  if (models.isError) return <Trouble error={models.error} onRetry={() => void models.refetch()} />;
  if (!models.data) return null;
  const known = models.data.items.filter((item) => ORDER.includes(item.role));
  const rows = known.sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role));
  return (
    <ul className={styles.roles} data-testid="models">
      {rows.map((item) => (
        <RoleRow key={item.role} item={item} found={models.data.found} />
      ))}
    </ul>
  );
}
