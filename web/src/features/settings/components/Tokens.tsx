import { useRef, useState } from "react";
import { useEnd, useTokens, type Fresh, type Token } from "@/features/settings/accessApi";
import { EndDialog } from "@/features/settings/components/EndDialog";
import { TokenDialog } from "@/features/settings/components/TokenDialog";
import { tokenWords } from "@/features/settings/lib/access";
import { useT } from "@/shared/i18n/i18n";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Button } from "@/shared/ui/Button";
import { Once } from "@/shared/ui/Once";
import { toast } from "@/shared/ui/toast";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/settings/components/Access.module.css";
import cards from "@/features/settings/components/Settings.module.css";

const OWNER_FILE = "owner-token file"; // so the server names the token of its own command line

/** My API tokens: what each may do, until when, when it was used; made here, shown once, ended here. */
export function Tokens() {
  const t = useT();
  const tokens = useTokens();
  const [isMaking, setMaking] = useState(false);
  const [fresh, setFresh] = useState<Fresh | null>(null);
  return (
    <section className={cards.card} aria-labelledby="tokens" data-testid="tokens">
      <h2 id="tokens">{t("access.tokens")}</h2>
      <p className={styles.lead}>{t("access.tokensLead")}</p>
      {tokens.isError ? <Trouble error={tokens.error} onRetry={() => void tokens.refetch()} /> : null}
      {tokens.data?.length === 0 ? <p className={styles.lead}>{t("access.tokensNone")}</p> : null}
      <ul className={styles.rows}>
        {tokens.data?.map((token) => (
          <Row key={token.id} token={token} onEnded={(id) => setFresh((known) => (known?.id === id ? null : known))} />
        ))}
      </ul>
      {fresh ? <Once key={fresh.id} label={t("access.tokenNew")} hint={t("access.tokenOnce")} copy={t("access.copy")} text={fresh.text} /> : null}
      <p>
        <Button icon="key" onClick={() => setMaking(true)}>
          {t("access.tokenMake")}
        </Button>
      </p>
      {isMaking ? <TokenDialog onMade={setFresh} onClose={() => setMaking(false)} /> : null}
    </section>
  );
}

function Row({ token, onEnded }: { token: Token; onEnded: (id: string) => void }) {
  const t = useT();
  const item = useRef<HTMLLIElement>(null);
  const [isAsking, setAsking] = useState(false);
  const end = useEnd("tokens", (id) => {
    setAsking(false);
    toast(t("access.tokenEnded", { name: token.name }));
    focusAfterRemoval(item.current);
    onEnded(id);
  });
  return (
    <li ref={item} className={styles.row} data-testid="token">
      <div className={styles.what}>
        <p className={styles.name} dir="auto">
          {token.name}
        </p>
        {tokenWords(token).map((line) => (
          <p key={line} className={styles.meta}>
            {line}
          </p>
        ))}
      </div>
      <Button small aria-label={t("access.tokenEndOf", { name: token.name })} onClick={() => setAsking(true)}>
        {t("access.end")}
      </Button>
      {isAsking ? (
        <EndDialog
          title={t("access.tokenEndOf", { name: token.name })}
          what={t(token.name === OWNER_FILE ? "access.tokenEndOwner" : "access.tokenEndWhat")}
          yes={t("access.end")}
          isPending={end.isPending}
          onYes={() => end.mutate(token.id)}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </li>
  );
}
