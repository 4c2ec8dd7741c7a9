import { useRef, useState, type ReactNode } from "react";
import { useChangeAssistant, type Assistant } from "@/features/assistants/api";
import { declaredIn, EXAMPLE, refusedPart, written, type DeclaredHost, type DeclaredRead } from "@/features/assistants/lib/hosts";
import { offsetOf, placeAt, placesIn } from "@/features/assistants/lib/jsonPlaces";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Field } from "@/shared/ui/Field";
import { Trouble } from "@/shared/ui/Trouble";
import parts from "@/features/assistants/components/Parts.module.css";
import styles from "@/features/assistants/components/Assistants.module.css";

interface HostsProps {
  row: Assistant;
  canChange: boolean;
  /** The documentation, over the page until it is closed. */
  docs: (onClose: () => void) => ReactNode;
}

const LEAST_ROWS = 10;
const MOST_ROWS = 28;

/** What it may read of host applications: the declaration as JSON, what is wrong in it beside it, and what is saved in words. */
export function Hosts({ row, canChange, docs }: HostsProps) {
  const t = useT();
  const save = useChangeAssistant(row.id);
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(written(row.hosts));
  const [wrong, setWrong] = useState<string | null>(null);
  const [isReading, setReading] = useState(false);
  const tell = (why: string, at: number): void => {
    setWrong(why);
    box.current?.focus();
    box.current?.setSelectionRange(at, at);
  };
  const change = (next: string): void => {
    setText(next);
    setWrong(null);
    save.reset();
  };
  const send = (): void => {
    const places = placesIn(text);
    if (places.fault !== null) return tell(t("assistants.hostsSyntax", { ...placeAt(text, places.fault) }), places.fault);
    const hosts: unknown = JSON.parse(text);
    if (!Array.isArray(hosts)) return tell(t("assistants.hostsNoList"), 0);
    save.mutate({ hosts: hosts as Record<string, unknown>[] }, { onError: (error) => refused(error, places) });
  };
  const refused = (error: unknown, places: ReturnType<typeof placesIn>): void => {
    const part = refusedPart(error);
    if (!part) return;
    const at = offsetOf(places, part.path);
    tell(t("assistants.hostsAt", { line: placeAt(text, at).line, why: part.why }), at);
  };
  return (
    <div className={styles.form}>
      <div className={styles.part}>
        <p>{t("assistants.hostsLead")}</p>
        <p className={styles.ways}>
          <Button small icon="help" onClick={() => setReading(true)}>
            {t("assistants.hostsDocs")}
          </Button>
          {canChange && text.trim().replace(/\s/g, "") === "[]" ? (
            <Button small icon="add" onClick={() => change(written(EXAMPLE))}>
              {t("assistants.hostsExample")}
            </Button>
          ) : null}
        </p>
      </div>
      <Field label={t("assistants.hostsField")} hint={`${t("assistants.hostsHint")} ${t("assistants.hostsDraft")}`} error={wrong}>
        {(ids) => (
          <textarea
            {...ids}
            ref={box}
            className={parts.json}
            rows={Math.min(MOST_ROWS, Math.max(LEAST_ROWS, text.split("\n").length))}
            spellCheck={false}
            autoCapitalize="off"
            dir="ltr"
            readOnly={!canChange}
            value={text}
            onChange={(event) => change(event.target.value)}
          />
        )}
      </Field>
      {save.isError && !wrong ? <Trouble error={save.error} /> : null}
      {canChange ? (
        <p className={styles.ways}>
          <Button look="primary" disabled={text === written(row.hosts) || save.isPending} onClick={send}>
            {t("ui.save")}
          </Button>
        </p>
      ) : null}
      <Saved hosts={declaredIn(row.hosts)} />
      {isReading ? docs(() => setReading(false)) : null}
    </div>
  );
}

function Saved({ hosts }: { hosts: readonly DeclaredHost[] }) {
  const t = useT();
  return (
    <section className={styles.part} data-testid="declared">
      <h2>{t("assistants.hostsSaved")}</h2>
      {hosts.length === 0 ? <p className={styles.meta}>{t("assistants.hostsNone")}</p> : null}
      {hosts.map((host) => (
        <div key={host.name}>
          <h3>
            {host.name} {host.withToken ? null : <span className={styles.meta}>{t("assistants.hostsNoToken")}</span>}
          </h3>
          <ul className={styles.rows}>
            {host.reads.map((read) => (
              <Read key={read.address + read.name} read={read} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function Read({ read }: { read: DeclaredRead }) {
  const t = useT();
  const kind = read.isWhatIf ? `${t("assistants.hostsWhatIf")}, ${t("assistants.hostsTool")}` : read.isTool ? t("assistants.hostsTool") : "";
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <p>
          {read.name} {kind ? <span className={styles.meta}>{kind}</span> : null}
        </p>
        <p className={styles.meta} dir="ltr">
          <code>GET {read.address}</code>
        </p>
        <p className={styles.meta}>{t("assistants.hostsFields", { fields: read.fields.join(", ") })}</p>
      </div>
    </li>
  );
}
