import { useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import styles from "./Views.module.css";

/** What a reader must know of a text that a model read from a picture. */
export function FromPicture() {
  const t = useT();
  return (
    <p className={styles.fromPicture} data-testid="from-picture">
      <Icon name="image" size={16} /> {t("reader.fromPicture")}
    </p>
  );
}
