import { useState } from "react";
import { useLocation } from "wouter";
import { Shell } from "@/app/Shell";
import { useSample } from "@/app/sample";
import { Home, NewNotebook } from "@/features/notebooks/components/Home";
import { TrashDialog } from "@/features/notebooks/components/TrashDialog";
import { useT } from "@/shared/i18n/i18n";
import { FIND } from "@/shared/lib/addresses";
import { useTitle } from "@/shared/lib/title";
import { Button } from "@/shared/ui/Button";

/** `/`: the notebooks. */
export default function HomePage() {
  const t = useT();
  const [trash, setTrash] = useState(false);
  const [, go] = useLocation();
  const sample = useSample();
  useTitle(t("home.title"));
  return (
    <Shell
      title={t("home.title")}
      actions={
        <>
          <Button look="quiet" icon="search" onClick={() => go(FIND)}>
            {t("home.find")}
          </Button>
          <Button look="quiet" icon="trash" onClick={() => setTrash(true)}>
            {t("home.trash")}
          </Button>
          <NewNotebook />
        </>
      }
    >
      <Home onSample={() => sample.mutate()} busy={sample.isPending} />
      {trash ? <TrashDialog onClose={() => setTrash(false)} /> : null}
    </Shell>
  );
}
