import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useLocation } from "wouter";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { workspaceAddress } from "@/shared/lib/addresses";
import { uuid } from "@/shared/lib/ids";
import { Button } from "@/shared/ui/Button";
import { toastFailure } from "@/shared/ui/failed";

/** An archive becomes a notebook again, and opens. */
export function ImportNotebook() {
  const t = useT();
  const client = useQueryClient();
  const [, go] = useLocation();
  const file = useRef<HTMLInputElement>(null);
  const take = useMutation({
    mutationFn: (archive: File) => {
      const form = new FormData();
      form.append("file", archive);
      return api.post<Notebook>("/notebooks/import", form, { idempotencyKey: uuid() });
    },
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: keys.notebooks });
      go(workspaceAddress(made.id));
    },
    onError: toastFailure,
  });
  return (
    <>
      <input
        ref={file}
        type="file"
        accept=".zip,application/zip"
        hidden
        data-testid="import-file"
        onChange={(event) => {
          const [archive] = event.target.files ?? [];
          if (archive) take.mutate(archive);
          event.target.value = "";
        }}
      />
      <Button disabled={take.isPending} onClick={() => file.current?.click()} data-testid="import-notebook">
        {t(take.isPending ? "export.importing" : "export.import")}
      </Button>
    </>
  );
}
