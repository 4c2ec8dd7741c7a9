import { useState } from "react";
import { FilesTab } from "@/features/sources/components/FilesTab";
import { LibraryTab } from "@/features/sources/components/LibraryTab";
import { LinksTab } from "@/features/sources/components/LinksTab";
import { TextTab } from "@/features/sources/components/TextTab";
import { useT } from "@/shared/i18n/i18n";
import { Tabs } from "@/shared/ui/Tabs";

export type AddTab = "files" | "links" | "text" | "library";

export interface AddPanelProps {
  notebookId: string;
  tab?: AddTab;
  /** What was pasted: it stands in the field already. */
  pasted?: string;
  onDone: () => void;
}

/** The four ways to add: files, links, text, the library. */
export function AddPanel({ notebookId, tab = "files", pasted = "", onDone }: AddPanelProps) {
  const t = useT();
  const [shown, setShown] = useState<AddTab>(tab);
  return (
    <Tabs<AddTab>
      label={t("add.title")}
      value={shown}
      onChange={setShown}
      tabs={[
        { value: "files", label: t("add.files"), icon: "file" },
        { value: "links", label: t("add.links"), icon: "link" },
        { value: "text", label: t("add.text"), icon: "text" },
        { value: "library", label: t("add.library"), icon: "library" },
      ]}
    >
      {shown === "files" ? <FilesTab notebookId={notebookId} onDone={onDone} /> : null}
      {shown === "links" ? <LinksTab notebookId={notebookId} pasted={tab === "links" ? pasted : ""} onDone={onDone} /> : null}
      {shown === "text" ? <TextTab notebookId={notebookId} pasted={tab === "text" ? pasted : ""} onDone={onDone} /> : null}
      {shown === "library" ? <LibraryTab notebookId={notebookId} onDone={onDone} /> : null}
    </Tabs>
  );
}
