import { useState } from "react";
import type { Assistant } from "@/features/assistants/api";
import { policy, publicSnippet, SERVERS, serverSnippet, signedInSnippet, type Server } from "@/features/assistants/lib/snippet";
import { useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { toast } from "@/shared/ui/toast";
import styles from "@/features/assistants/components/Assistants.module.css";

/** The lines for the site: its tag, its server's address for tokens, its policy. */
export function Embedding({ row }: { row: Assistant }) {
  const t = useT();
  const [server, setServer] = useState<Server>("curl");
  const isSignedIn = row.publication.mode === "signed_in";
  const { origin } = location;
  return (
    <section className={styles.part}>
      <h2>{t("assistants.embed")}</h2>
      <Code label={t("assistants.embedTag")} text={isSignedIn ? signedInSnippet(origin, row.slug) : publicSnippet(origin, row.slug)} testId="snippet" />
      {isSignedIn ? (
        <>
          <Choice inline legend={t("assistants.embedServer")} name="server" value={server} options={SERVERS.map((value) => ({ value, label: value }))} onChange={setServer} />
          <Code label={t("assistants.embedServerNote")} text={serverSnippet(server, origin, row.id)} testId="server-snippet" />
        </>
      ) : null}
      <Code label={t("assistants.embedPolicy")} text={policy(origin)} testId="policy" />
    </section>
  );
}

function Code({ label, text, testId }: { label: string; text: string; testId: string }) {
  const t = useT();
  return (
    <div className={styles.part}>
      <p className={styles.ways}>
        {label}
        <Button small icon="copy" aria-label={`${t("assistants.copy")}: ${label}`} onClick={() => void copyText(text).then((done) => done && toast(t("ui.copied")))}>
          {t("assistants.copy")}
        </Button>
      </p>
      <pre className={styles.code} tabIndex={0} data-testid={testId}>
        {text}
      </pre>
    </div>
  );
}
