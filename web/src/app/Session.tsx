import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { Commands } from "@/app/Commands";
import { OfflineBar } from "@/app/OfflineBar";
import SignInPage from "@/app/SignInPage";
import { SignInForm } from "@/features/signin/components/SignInForm";
import { ApiError, onSignedOut } from "@/shared/api/client";
import { useMe } from "@/shared/api/queries";
import { useFeed } from "@/shared/api/useFeed";
import { currentLanguage, isLanguage, setLanguage, useT } from "@/shared/i18n/i18n";
import { showTheme } from "@/shared/lib/theme";
import { Dialog } from "@/shared/ui/Dialog";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/app/Session.module.css";

/** Who is signed in: first the person, then the page. Signed out later, the form lies over the page and nothing is lost. */
export function Session({ children }: { children: ReactNode }) {
  const me = useMe();
  const t = useT();
  const client = useQueryClient();
  const [lost, setLost] = useState(false);
  useEffect(() => onSignedOut(() => setLost(true)), []);
  useFeed(me.isSuccess && !lost);
  const language = me.data?.preferences.ui_language;
  const theme = me.data?.preferences.theme;
  useEffect(() => {
    if (isLanguage(language) && language !== currentLanguage()) void setLanguage(language);
  }, [language]);
  useEffect(() => {
    if (theme) showTheme(theme);
  }, [theme]);

  if (!me.data) {
    if (me.error instanceof ApiError && me.error.status === 401) return <SignInPage />;
    if (!me.isError) return null;
    return (
      <main id="main" className={styles.trouble}>
        <Trouble error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return (
    <>
      <OfflineBar />
      {children}
      <Commands />
      <Dialog open={lost} onClose={() => setLost(false)} title={t("signin.again")} size="small">
        <p className={styles.kept}>{t("signin.kept")}</p>
        <SignInForm
          onDone={() => {
            setLost(false);
            void client.invalidateQueries();
          }}
        />
      </Dialog>
    </>
  );
}
