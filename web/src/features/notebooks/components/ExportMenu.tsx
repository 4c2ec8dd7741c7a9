import { useT } from "@/shared/i18n/i18n";
import { download } from "@/shared/lib/download";
import { Menu, type MenuItem } from "@/shared/ui/Menu";

/** What can be taken along of a notebook: all of it as an archive, its sources as a bibliography. */
export function exportItems(notebookId: string, t: ReturnType<typeof useT>): MenuItem[] {
  const file = (path: string) => (): void => download(`/notebooks/${notebookId}/${path}`);
  return [
    { label: t("export.archive"), icon: "download", note: t("export.archiveNote"), run: file("file") },
    { label: t("export.bibtex"), icon: "document", run: file("citations?format=bibtex") },
    { label: t("export.ris"), icon: "document", run: file("citations?format=ris") },
  ];
}

export function ExportMenu({ notebookId }: { notebookId: string }) {
  const t = useT();
  return <Menu label={t("export.title")} icon="download" items={exportItems(notebookId, t)} />;
}
