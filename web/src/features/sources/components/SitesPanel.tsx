import { useState } from "react";
import { SiteDialog } from "@/features/sources/components/SiteDialog";
import { siteLine, siteName } from "@/features/sources/lib/sites";
import { isLooking, useSiteDeeds, useSites } from "@/features/sources/sitesApi";
import type { Site, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { Menu, type MenuItem } from "@/shared/ui/Menu";
import styles from "@/features/sources/components/SitesPanel.module.css";

interface PanelProps {
  notebookId: string;
  sources: Source[];
  canEdit: boolean;
  /** The site whose pages alone are listed. */
  only: string | null;
  onOnly: (siteId: string | null) => void;
}

/** The web sites of the notebook over the list of their pages; pressing one narrows the list to it. */
export function SitesPanel({ notebookId, sources, canEdit, only, onOnly }: PanelProps) {
  const t = useT();
  const sites = useSites(notebookId);
  if (!sites.data || sites.data.length === 0) return null;
  const chosen = sites.data.find((site) => site.id === only);
  return (
    <>
      <ul className={styles.sites} aria-label={t("sites.title")} data-testid="sites">
        {sites.data.map((site) => (
          <Row
            key={site.id}
            site={site}
            notebookId={notebookId}
            pages={sources.filter((row) => row.site_id === site.id).length}
            canEdit={canEdit}
            isOnly={only === site.id}
            onOnly={() => onOnly(only === site.id ? null : site.id)}
          />
        ))}
      </ul>
      {chosen ? (
        <p className={styles.chosen}>
          {t("sites.only", { site: siteName(chosen.url) })}{" "}
          <Button look="link" small onClick={() => onOnly(null)}>
            {t("sites.show_all")}
          </Button>
        </p>
      ) : null}
    </>
  );
}

interface RowProps {
  site: Site;
  notebookId: string;
  pages: number;
  canEdit: boolean;
  isOnly: boolean;
  onOnly: () => void;
}

function Row({ site, notebookId, pages, canEdit, isOnly, onOnly }: RowProps) {
  const t = useT();
  const deeds = useSiteDeeds(notebookId);
  const [isOpen, setOpen] = useState(false);
  const name = siteName(site.url);
  const items: (MenuItem | "line")[] = [
    { label: t("sites.show"), checked: isOnly, run: onOnly },
    { label: t("sites.details"), icon: "list", run: () => setOpen(true) },
  ];
  if (canEdit) {
    items.push(
      { label: t("sites.look_now"), icon: "refresh", disabled: isLooking(site), run: () => deeds.look.mutate(site.id) },
      "line",
      { label: t("sites.stop"), note: t("sites.stop_note"), icon: "minus", run: () => deeds.stop.mutate(site.id) },
    );
  }
  return (
    <li className={[styles.site, isOnly ? styles.only : ""].join(" ")} data-testid="site" data-status={site.status}>
      <Icon name="site" size={16} />
      <div className={styles.body}>
        <button type="button" className={styles.name} aria-pressed={isOnly} title={t("sites.show")} onClick={onOnly} dir="ltr">
          {name}
        </button>
        <p className={[styles.line, site.status === "failed" ? styles.failed : ""].join(" ")}>{siteLine(site, pages)}</p>
      </div>
      <Menu small label={t("sites.actions", { title: name })} items={items} />
      {isOpen ? <SiteDialog site={site} notebookId={notebookId} canEdit={canEdit} onClose={() => setOpen(false)} /> : null}
    </li>
  );
}
