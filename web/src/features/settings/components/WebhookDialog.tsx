import { useState, type FormEvent } from "react";
import { useMakeWebhook, type Fresh, type HookEvent } from "@/features/settings/accessApi";
import { Checks } from "@/features/settings/components/Checks";
import { EVENTS, eventName } from "@/features/settings/lib/access";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Field } from "@/shared/ui/Field";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/settings/components/Access.module.css";

const FORM = "new-webhook";

/** A new webhook: where to, about what. */
export function WebhookDialog({ onMade, onClose }: { onMade: (made: Fresh) => void; onClose: () => void }) {
  const t = useT();
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<readonly HookEvent[]>(["source.ready", "source.failed"]);
  const [wasSent, setSent] = useState(false);
  const make = useMakeWebhook((made) => {
    onMade(made);
    onClose();
  });
  const address = url.trim();
  const wrong = {
    url: /^https?:\/\/[^\s/]+/i.test(address) && URL.canParse(address) ? null : t("access.urlBad"),
    events: events.length === 0 ? t("access.eventMissing") : null,
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSent(true);
    if (!wrong.url && !wrong.events) make.mutate({ url: address, events: [...events] });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("access.webhookMake")}
      testId="new-webhook"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" type="submit" form={FORM} disabled={make.isPending}>
            {t("access.make")}
          </Button>
        </>
      }
    >
      <form id={FORM} className={styles.fields} noValidate onSubmit={submit}>
        <Field label={t("access.url")} hint={t("access.urlHint")} error={wasSent ? wrong.url : null}>
          {(ids) => <input {...ids} data-autofocus="" type="url" dir="ltr" spellCheck={false} placeholder="https://" maxLength={2000} value={url} onChange={(event) => setUrl(event.target.value)} />}
        </Field>
        <Checks
          legend={t("access.events")}
          values={EVENTS}
          given={events}
          what={(one) => (
            <>
              {eventName(one)} <code className={styles.meta}>{one}</code>
            </>
          )}
          error={wasSent ? wrong.events : null}
          onChange={setEvents}
        />
      </form>
      {make.isError ? <Trouble error={make.error} /> : null}
    </Dialog>
  );
}
