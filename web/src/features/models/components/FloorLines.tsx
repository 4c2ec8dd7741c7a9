import { useFloors } from "@/features/models/api";
import { floorLines, stillUsed } from "@/features/models/lib/rebuild";
import type { ModelRole } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/features/models/components/RoleRow.module.css";

/** How near a passage has to be to be given to an answer, and where that number comes from. */
export function FloorLines({ item }: { item: ModelRole }) {
  const t = useT();
  const floors = useFloors(item).data;
  if (!floors) return null;
  const old = stillUsed(item, floors);
  return (
    <>
      {floorLines(floors).map((line) => (
        <p key={line} className={styles.where} data-testid="floor">
          {line}
        </p>
      ))}
      {old ? (
        <p className={styles.warning} data-testid="still-old">
          <Icon name="warning" size={14} />
          {t("models.stillOld", { model: old })}
        </p>
      ) : null}
    </>
  );
}
