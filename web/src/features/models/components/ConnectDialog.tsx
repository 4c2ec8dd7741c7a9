import { useState } from "react";
import { useSaveModel, useTestModel, type ModelChoice } from "@/features/models/api";
import { ConnectFields } from "@/features/models/components/ConnectFields";
import { PlaceChoice } from "@/features/models/components/PlaceChoice";
import { TestLine } from "@/features/models/components/TestLine";
import { estimateWords } from "@/features/models/lib/rebuild";
import { cleanAddress, roleName, type Place } from "@/features/models/lib/roles";
import type { FoundServer, ModelRole } from "@/shared/api/types";
import { t, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import { toast } from "@/shared/ui/toast";
import styles from "@/features/models/components/ConnectDialog.module.css";

interface ConnectProps {
  item: ModelRole;
  found: FoundServer[];
  onClose: () => void;
}

/** Connect a model: a server found here, another address with or without a key, or none; tested before it is kept. */
export function ConnectDialog({ item, found, onClose }: ConnectProps) {
  useT();
  const save = useSaveModel(item.role);
  const test = useTestModel(item.role);
  const [place, setPlace] = useState<Place>(() => placeOf(item, found));
  const [address, setAddress] = useState(item.provider === "api" ? (item.base_url ?? "") : "");
  const [model, setModel] = useState(item.model ?? serverOf(place, found)?.models[0] ?? "");
  const [key, setKey] = useState("");
  const [asked, setAsked] = useState(false);
  const server = serverOf(place, found);
  const url = server ? server.base_url : cleanAddress(address);
  const needsAddress = place === "other" || server !== undefined;
  const errors = asked ? faults(place, url, model) : { address: null, model: null };
  const choice = (): ModelChoice | null => {
    setAsked(true);
    return choiceOf(item, place, url, model.trim(), key.trim());
  };
  const keep = (): void => {
    const chosen = choice();
    if (!chosen) return;
    const done = (): void => {
      toast(t("models.saved"));
      onClose();
    };
    save.mutate(chosen, { onSuccess: done });
  };
  const tryIt = (): void => {
    const chosen = choice();
    if (chosen) test.mutate(chosen);
  };
  const move = (next: Place): void => {
    setPlace(next);
    test.reset();
    const models = serverOf(next, found)?.models;
    if (models && !models.includes(model)) setModel(models[0] ?? "");
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("models.connect_role", { role: roleName(item.role) })}
      testId="connect"
      actions={
        <>
          {place === "none" ? null : (
            <Button onClick={tryIt} disabled={test.isPending}>
              {test.isPending ? t("models.testing") : t("models.test")}
            </Button>
          )}
          <Button look="primary" onClick={keep} disabled={save.isPending}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      <PlaceChoice place={place} onPlace={move} found={found} hasLocal={item.provider === "local"} />
      {needsAddress ? (
        <ConnectFields
          server={server}
          address={address}
          onAddress={setAddress}
          model={model}
          onModel={setModel}
          apiKey={key}
          onKey={setKey}
          hasKey={item.has_key}
          errors={errors}
        />
      ) : null}
      {item.role === "embedding" ? (
        <div className={styles.note}>
          <Note icon="refresh" testId="rebuild-estimate">
            {test.data?.rebuild_estimate ? estimateWords(test.data.rebuild_estimate) : t("models.rebuild")}
          </Note>
        </div>
      ) : null}
      {test.isPending || test.data ? <TestLine test={test.data ?? null} isRunning={test.isPending} /> : null}
      {test.isError ? <Trouble error={test.error} /> : null}
      {save.isError ? <Trouble error={save.error} /> : null}
    </Dialog>
  );
}

function faults(place: Place, url: string | null, model: string): { address: string | null; model: string | null } {
  return {
    address: place === "other" && url === null ? t("models.address_bad") : null,
    model: model.trim() === "" ? t("models.model_missing") : null,
  };
}

function serverOf(place: Place, found: FoundServer[]): FoundServer | undefined {
  return place.startsWith("found:") ? found[Number(place.slice(6))] : undefined;
}

/** What the form says; null while an address or a model is missing. */
function choiceOf(item: ModelRole, place: Place, url: string | null, model: string, key: string): ModelChoice | null {
  if (place === "none") return { provider: "none", base_url: null, model: null };
  if (place === "local") return { provider: "local", base_url: item.base_url, model: item.model };
  if (url === null || model === "") return null;
  return { provider: "api", base_url: url, model, ...(key ? { api_key: key } : {}) };
}

function placeOf(item: ModelRole, found: FoundServer[]): Place {
  if (item.provider === "local") return "local";
  if (item.provider === "api") {
    const at = found.findIndex((server) => server.base_url === item.base_url);
    return at >= 0 ? `found:${at}` : "other";
  }
  return found.length > 0 ? "found:0" : "other"; // whoever presses Connect wants one
}
