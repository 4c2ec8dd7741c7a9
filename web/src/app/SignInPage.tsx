import { useSearch } from "wouter";
import { SignInForm } from "@/features/signin/components/SignInForm";
import { useT } from "@/shared/i18n/i18n";
import { HOME } from "@/shared/lib/addresses";
import { Note } from "@/shared/ui/Note";
import { Wordmark } from "@/app/Wordmark";
import styles from "@/app/SignInPage.module.css";

/** `/sign-in`, where used and old links end, and what a signed-out browser sees first. */
export default function SignInPage() {
  const t = useT();
  const query = new URLSearchParams(useSearch());
  const reason = query.get("reason");
  const next = query.get("next");
  // Only an address of ours: "//elsewhere" would leave the page.
  const target = next?.startsWith("/") && !next.startsWith("//") ? next : HOME;
  return (
    <main id="main" className={styles.page} data-testid="sign-in">
      <div className={styles.card}>
        <Wordmark />
        <h1 className={styles.title}>{t("signin.title")}</h1>
        <p className={styles.lead}>{t("signin.lead")}</p>
        {reason === "link_used" || reason === "link_expired" ? (
          <div className={styles.reason}>
            <Note icon="key" tone="warning">
              {reason === "link_used" ? t("signin.used") : t("signin.expired")}
            </Note>
          </div>
        ) : null}
        <SignInForm onDone={() => location.assign(target)} />
      </div>
    </main>
  );
}
