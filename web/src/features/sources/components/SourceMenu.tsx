import type { RefObject } from "react";
import { useDeed, useGrant, useTrashSource, useUnlink } from "@/features/sources/api";
import { isWorking } from "@/features/sources/lib/status";
import type { Notebook, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Menu, type MenuItem } from "@/shared/ui/Menu";

export type SourceDialog = "report" | "details" | "reread";

interface SourceMenuProps {
  source: Source;
  notebook: Notebook;
  canEdit: boolean;
  item: RefObject<HTMLLIElement | null>;
  onOpen: (sourceId: string) => void;
  onDialog: (dialog: SourceDialog) => void;
}

/** Everything that can be done with one source. */
export function SourceMenu({ source, notebook, canEdit, item, onOpen, onDialog }: SourceMenuProps) {
  const t = useT();
  const deed = useDeed(notebook.id);
  const grant = useGrant(notebook.id);
  const unlink = useUnlink(notebook.id);
  const trash = useTrashSource(notebook.id);
  const isPaused = source.grant === "paused";
  const look: MenuItem[] = [
    { label: t("sources.open"), icon: "eye", disabled: source.searchable === "none", run: () => onOpen(source.id) },
    { label: t("sources.report"), icon: "list", run: () => onDialog("report") },
  ];
  if (!canEdit) return <Menu small label={t("sources.actions", { title: source.title })} items={look} />;
  const remove = (run: () => void) => (): void => {
    focusAfterRemoval(item.current);
    run();
  };
  const again = againOf(source, t, (kind) => (kind === "with" ? onDialog("reread") : deed.mutate({ id: source.id, deed: kind })));
  const leaveOut: MenuItem = {
    label: t("sources.leave_out"),
    note: t("sources.leave_out_note"),
    checked: isPaused,
    run: () => grant.mutate({ id: source.id, grant: isPaused ? "given" : "paused" }),
  };
  return (
    <Menu
      small
      label={t("sources.actions", { title: source.title })}
      items={[
        ...look,
        { label: t("sources.details"), icon: "edit", run: () => onDialog("details") },
        again,
        leaveOut,
        "line",
        { label: t("sources.remove"), icon: "minus", run: remove(() => unlink.mutate(source)) },
        { label: t("sources.trash"), icon: "trash", danger: true, run: remove(() => trash.mutate(source)) },
      ]}
    />
  );
}

/** Stop while it is read; else read again: a web page is fetched, a PDF can be read in another way. */
function againOf(source: Source, t: ReturnType<typeof useT>, run: (kind: "stop" | "reread" | "with") => void): MenuItem {
  if (isWorking(source)) return { label: t("sources.stop"), icon: "stop", run: () => run("stop") };
  if (source.kind === "url") return { label: t("sources.fetch_again"), icon: "refresh", run: () => run("reread") };
  if (source.kind === "pdf") return { label: t("sources.reread_with"), icon: "refresh", run: () => run("with") };
  return { label: t("sources.reread"), icon: "refresh", run: () => run("reread") };
}
