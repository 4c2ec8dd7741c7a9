import { useState } from "react";
import { useTestModel } from "@/features/models/api";
import { ConnectDialog } from "@/features/models/components/ConnectDialog";
import { FloorLines } from "@/features/models/components/FloorLines";
import { RebuildLine } from "@/features/models/components/RebuildLine";
import { TestLine } from "@/features/models/components/TestLine";
import { roleName, roleWhat } from "@/features/models/lib/roles";
import type { FoundServer, ModelRole } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { toastFailure } from "@/shared/ui/failed";
import styles from "@/features/models/components/RoleRow.module.css";

const UNUSED: ReadonlySet<string> = new Set(["voice"]); // nothing calls it yet: it can only be taken away

/** What does this job, where, and how its last test went. */
export function RoleRow({ item, found }: { item: ModelRole; found: FoundServer[] }) {
  const t = useT();
  const [editing, setEditing] = useState(false);
  const test = useTestModel(item.role);
  const name = roleName(item.role);
  const isOn = item.provider !== "none";
  const isUnused = UNUSED.has(item.role);
  return (
    <li className={styles.row} data-testid={`model-${item.role}`}>
      <div className={styles.role}>
        <h2 className={styles.name}>{name}</h2>
        <p className={styles.what}>{roleWhat(item.role)}</p>
      </div>
      <div className={styles.state}>
        <p className={isOn ? styles.model : styles.off}>{isOn ? (item.model ?? t("models.local")) : t("models.none")}</p>
        {isOn ? <p className={styles.where}>{whereOf(item, t)}</p> : null}
        {isOn && !isUnused ? <TestLine test={test.data ?? item.tested} isRunning={test.isPending} /> : null}
        {isOn && item.role === "embedding" ? <FloorLines item={item} /> : null}
        {item.rebuild ? <RebuildLine rebuild={item.rebuild} /> : null}
        {item.locked ? (
          <p className={styles.locked}>
            <Icon name="lock" size={14} />
            {item.locked_by ? t("models.locked", { name: item.locked_by }) : t("models.locked_plain")}
          </p>
        ) : null}
      </div>
      <Ways item={item} name={name} test={test} onChange={() => setEditing(true)} />
      {editing ? <ConnectDialog item={item} found={found} onClose={() => setEditing(false)} /> : null}
    </li>
  );
}

interface WaysProps {
  item: ModelRole;
  name: string;
  test: ReturnType<typeof useTestModel>;
  onChange: () => void;
}

/** Test it, change it; what nothing calls yet cannot be connected. */
function Ways({ item, name, test, onChange }: WaysProps) {
  const t = useT();
  const isOn = item.provider !== "none";
  const isUnused = UNUSED.has(item.role);
  return (
    <div className={styles.ways}>
      {isOn && !isUnused ? (
        <Button small aria-label={t("models.test_role", { role: name })} disabled={test.isPending} onClick={() => test.mutate({}, { onError: toastFailure })}>
          {test.isPending ? t("models.testing") : t("models.test")}
        </Button>
      ) : null}
      {item.locked || (isUnused && !isOn) ? null : (
        <Button small look={item.role === "chat" && !isOn ? "primary" : "plain"} aria-label={t(isOn ? "models.change_role" : "models.connect_role", { role: name })} onClick={onChange}>
          {t(isOn ? "models.change" : "models.connect")}
        </Button>
      )}
    </div>
  );
}

function whereOf(item: ModelRole, t: ReturnType<typeof useT>): string {
  const place = item.provider === "local" ? t("models.on_this_server") : (item.base_url ?? t("ui.unknown"));
  return item.has_key ? `${place} · ${t("models.has_key")}` : place;
}
