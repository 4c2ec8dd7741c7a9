import { useRef, useState } from "react";
import { useEnd, useWebhooks, type Fresh, type Webhook } from "@/features/settings/accessApi";
import { EndDialog } from "@/features/settings/components/EndDialog";
import { WebhookDialog } from "@/features/settings/components/WebhookDialog";
import { eventWords, sentWords } from "@/features/settings/lib/access";
import { useT } from "@/shared/i18n/i18n";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { Once } from "@/shared/ui/Once";
import { toast } from "@/shared/ui/toast";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/settings/components/Access.module.css";
import cards from "@/features/settings/components/Settings.module.css";

/** My webhooks: where messages go, about what, and how the last one went. */
export function Webhooks() {
  const t = useT();
  const webhooks = useWebhooks();
  const [isMaking, setMaking] = useState(false);
  const [fresh, setFresh] = useState<Fresh | null>(null);
  return (
    <section className={cards.card} aria-labelledby="webhooks" data-testid="webhooks">
      <h2 id="webhooks">{t("access.webhooks")}</h2>
      <p className={styles.lead}>{t("access.webhooksLead")}</p>
      {webhooks.isError ? <Trouble error={webhooks.error} onRetry={() => void webhooks.refetch()} /> : null}
      {webhooks.data?.length === 0 ? <p className={styles.lead}>{t("access.webhooksNone")}</p> : null}
      <ul className={styles.rows}>
        {webhooks.data?.map((webhook) => (
          <Row key={webhook.id} webhook={webhook} onEnded={(id) => setFresh((known) => (known?.id === id ? null : known))} />
        ))}
      </ul>
      {fresh ? <Once key={fresh.id} label={t("access.webhookNew")} hint={t("access.webhookOnce")} copy={t("access.copy")} text={fresh.text} /> : null}
      <p>
        <Button icon="add" onClick={() => setMaking(true)}>
          {t("access.webhookMake")}
        </Button>
      </p>
      {isMaking ? <WebhookDialog onMade={setFresh} onClose={() => setMaking(false)} /> : null}
    </section>
  );
}

function Row({ webhook, onEnded }: { webhook: Webhook; onEnded: (id: string) => void }) {
  const t = useT();
  const item = useRef<HTMLLIElement>(null);
  const [isAsking, setAsking] = useState(false);
  const end = useEnd("webhooks", (id) => {
    setAsking(false);
    toast(t("access.webhookEnded", { url: webhook.url }));
    focusAfterRemoval(item.current);
    onEnded(id);
  });
  return (
    <li ref={item} className={styles.row} data-testid="webhook">
      <div className={styles.what}>
        <p className={styles.name} dir="ltr">
          {webhook.url}
        </p>
        <p className={styles.meta}>{eventWords(webhook.events)}</p>
        <p className={styles.meta}>{sentWords(webhook)}</p>
        {webhook.last_error ? (
          <p className={styles.bad}>
            <Icon name="warning" size={14} /> {t("access.sendFailed", { why: webhook.last_error })}
          </p>
        ) : null}
      </div>
      <Button small aria-label={t("access.webhookEndOf", { url: webhook.url })} onClick={() => setAsking(true)}>
        {t("access.webhookEnd")}
      </Button>
      {isAsking ? (
        <EndDialog
          title={t("access.webhookEndOf", { url: webhook.url })}
          what={t("access.webhookEndWhat")}
          yes={t("access.webhookEnd")}
          isPending={end.isPending}
          onYes={() => end.mutate(webhook.id)}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </li>
  );
}
