import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { AccountMenu } from "@/app/AccountMenu";
import { Wordmark } from "@/app/Wordmark";
import { useT } from "@/shared/i18n/i18n";
import { ASSISTANTS, FIND, HEALTH, HOME, LIBRARY, MODELS, SETTINGS } from "@/shared/lib/addresses";
import styles from "@/app/Shell.module.css";

/** The frame of every screen but the workspace: name, places, account; one column of at most 1040 px. */
export function Shell({ title, lead, above, actions, narrow = false, children }: { title: string; lead?: string; above?: ReactNode; actions?: ReactNode; narrow?: boolean; children: ReactNode }) {
  const t = useT();
  const [here] = useLocation();
  const places = [
    [HOME, t("nav.notebooks")],
    [FIND, t("nav.find")],
    [LIBRARY, t("nav.library")],
    [ASSISTANTS, t("assistants.title")],
    [MODELS, t("nav.models")],
    [HEALTH, t("nav.health")],
    [SETTINGS, t("nav.settings")],
  ] as const;
  return (
    <>
      <a className={styles.skip} href="#main">
        {t("ui.skip")}
      </a>
      <header className={styles.header}>
        <Link href={HOME} className={styles.home}>
          <Wordmark />
        </Link>
        <nav aria-label={t("nav.label")} className={styles.nav}>
          {places.map(([address, name]) => (
            <Link key={address} href={address} className={styles.place} aria-current={here === address ? "page" : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <div className={styles.account}>
          <AccountMenu />
        </div>
      </header>
      <main id="main" tabIndex={-1} className={[styles.main, narrow ? styles.narrow : ""].join(" ")}>
        <div className={styles.top}>
          <div>
            {above ? <p className={styles.above}>{above}</p> : null}
            <h1>{title}</h1>
            {lead ? <p className={styles.lead}>{lead}</p> : null}
          </div>
          {actions ? <div className={styles.actions}>{actions}</div> : null}
        </div>
        {children}
      </main>
    </>
  );
}
