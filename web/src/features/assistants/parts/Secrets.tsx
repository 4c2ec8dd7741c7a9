import { useRef } from "react";
import type { Assistant } from "@/features/assistants/api";
import { useEndSecret, useMakeSecret, useSecrets, type Token } from "@/features/assistants/peopleApi";
import { ago, useT } from "@/shared/i18n/i18n";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Button } from "@/shared/ui/Button";
import { Once } from "@/shared/ui/Once";
import { toast } from "@/shared/ui/toast";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

/** The secrets with which the host application's server asks for tokens: made here, shown once, ended here. */
export function Secrets({ row }: { row: Assistant }) {
  const t = useT();
  const secrets = useSecrets(row);
  const make = useMakeSecret(row);
  return (
    <section className={styles.part} data-testid="secrets">
      <h2>{t("assistants.keys")}</h2>
      <p className={styles.meta}>{t("assistants.keysLead")}</p>
      {secrets.isError ? <Trouble error={secrets.error} onRetry={() => void secrets.refetch()} /> : null}
      {secrets.data?.length === 0 ? <p className={styles.meta}>{t("assistants.keysNone")}</p> : null}
      <ul className={styles.rows}>
        {secrets.data?.map((token) => (
          <Row key={token.id} token={token} onEnded={() => token.id === make.data?.id && make.reset()} />
        ))}
      </ul>
      {make.isError ? <Trouble error={make.error} /> : null}
      {make.data ? <Once key={make.data.id} label={t("assistants.keyNew")} hint={t("assistants.keyOnce")} copy={t("assistants.keyCopy")} text={make.data.token} /> : null}
      <p className={styles.ways}>
        <Button icon="key" disabled={make.isPending} onClick={() => make.mutate()}>
          {t("assistants.keyMake")}
        </Button>
      </p>
    </section>
  );
}

function Row({ token, onEnded }: { token: Token; onEnded: () => void }) {
  const t = useT();
  const item = useRef<HTMLLIElement>(null);
  const end = useEndSecret(() => {
    toast(t("assistants.keyEnded", { prefix: token.prefix }));
    focusAfterRemoval(item.current);
    onEnded();
  });
  const used = token.last_used_at ? t("assistants.keyUsed", { ago: ago(token.last_used_at) }) : t("assistants.keyUnused");
  return (
    <li ref={item} className={styles.row} data-testid="secret">
      <div className={styles.what}>
        <p>
          <code>{token.prefix}…</code>
        </p>
        <p className={styles.meta}>{`${t("assistants.keyMade", { ago: ago(token.created_at) })} · ${used}`}</p>
      </div>
      <Button small aria-label={t("assistants.keyEndOf", { prefix: token.prefix })} disabled={end.isPending} onClick={() => end.mutate(token)}>
        {t("assistants.keyEnd")}
      </Button>
    </li>
  );
}
