import { useFloors } from "@/features/models/api";
import { floorWords } from "@/features/models/lib/rebuild";
import { useT } from "@/shared/i18n/i18n";
import styles from "@/features/models/components/RoleRow.module.css";

/** How near a passage has to be to be given to an answer, and where that number comes from. */
export function FloorLines() {
  useT();
  const floors = useFloors().data;
  const mine = floors?.items.filter((floor) => floor.space.state === "in_use") ?? [];
  return mine.map((floor) => (
    <p key={floor.profile} className={styles.where} data-testid="floor">
      {mine.length > 1 ? `${floor.profile}: ` : null}
      {floorWords(floor, floors?.locked_by ?? null)}
    </p>
  ));
}
