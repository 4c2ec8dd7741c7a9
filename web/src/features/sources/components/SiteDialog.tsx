import { PlanField } from "@/features/sources/components/PlanField";
import { refusedOf, siteName } from "@/features/sources/lib/sites";
import { reasonOf } from "@/features/sources/lib/reasons";
import { isLooking, useSiteDeeds } from "@/features/sources/sitesApi";
import type { Site } from "@/shared/api/types";
import { date, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Note } from "@/shared/ui/Note";
import styles from "@/features/sources/components/ReportDialog.module.css";

const WITH_TIME = { dateStyle: "medium", timeStyle: "short" } as const;

const SOMETIMES = [["sites.known", "known"], ["sites.fetched", "again"], ["sites.vanished", "vanished"], ["sites.removed", "removed"]] as const;

/** What was found on a site, what was not added and why, and how often it is looked at. */
export function SiteDialog({ site, notebookId, canEdit, onClose }: { site: Site; notebookId: string; canEdit: boolean; onClose: () => void }) {
  const t = useT();
  const deeds = useSiteDeeds(notebookId);
  const refused = refusedOf(site);
  const report = site.report;
  const facts: [string, string | number][] = [
    [t("sites.found"), report?.found ?? t("ui.unknown")],
    [t("sites.added"), report?.added ?? t("ui.unknown")],
    ...SOMETIMES.flatMap(([key, field]): [string, number][] => (report && report[field] > 0 ? [[t(key), report[field]]] : [])),
    [t("sites.refused"), report ? refused.n : t("ui.unknown")],
    [t("sites.max"), t("sites.pages", { n: site.max_pages })],
    [t("sites.looked_at"), site.looked_at ? date(site.looked_at, WITH_TIME) : t("ui.unknown")],
    [t("sites.next_at"), site.look_again_at ? date(site.look_again_at, WITH_TIME) : t("sites.never")],
  ];
  const actions = canEdit ? (
    <Button icon="refresh" disabled={isLooking(site) || deeds.look.isPending} onClick={() => deeds.look.mutate(site.id)}>
      {t(isLooking(site) ? "sites.looking" : "sites.look_now")}
    </Button>
  ) : null;
  return (
    <Dialog open onClose={onClose} title={siteName(site.url)} testId="site-report" actions={actions}>
      <p className={styles.source}>
        <a href={site.url} target="_blank" rel="noreferrer noopener" dir="ltr">
          {site.url}
        </a>
      </p>
      {site.error ? (
        <div className={styles.error}>
          <Note tone="error" icon="warning">
            <strong>{t("sites.not_looked")}</strong> {reasonOf(site.error.code, site.error.message)}
          </Note>
        </div>
      ) : null}
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {canEdit ? (
        <div className={styles.plan}>
          <PlanField hours={site.refresh_hours} disabled={deeds.plan.isPending} onChange={(hours) => deeds.plan.mutate({ id: site.id, hours })} />
        </div>
      ) : null}
      {refused.items.length > 0 ? (
        <section>
          <h3 className={styles.heading}>{t("sites.refused")}</h3>
          <ul className={styles.warnings}>
            {refused.items.map((item) => (
              <li key={item.url}>
                <span dir="ltr">{item.url}</span>
                <span className={styles.pages}>{item.why}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </Dialog>
  );
}
