/** The sample notebook, made from the files that lie beside the page: the same ones `sourcebook up --demo` adds. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { addFiles } from "@/features/sources/lib/uploads";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Notebook } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { workspaceAddress } from "@/shared/lib/addresses";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";

const FILES = ["welcome.md", "How answers are checked.pdf"];

/** Makes the sample and goes there; its sources are read like any others. */
export function useSample() {
  const client = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: async () => {
      const files = await Promise.all(FILES.map(sampleFile));
      const made = await api.post<Notebook>("/notebooks", { title: t("home.sample_title"), is_sample: true }, { idempotencyKey: uuid() });
      addFiles(made.id, files);
      return made;
    },
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: keys.notebooks, exact: true });
      go(workspaceAddress(made.id));
    },
    onError: toastFailure,
  });
}

async function sampleFile(name: string): Promise<File> {
  const response = await fetch(`/sample/${encodeURIComponent(name)}`);
  if (!response.ok) throw new Error(`the page was built without its sample file ${name}`);
  return new File([await response.blob()], name);
}
