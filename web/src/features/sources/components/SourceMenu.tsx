import type { RefObject } from "react";
import { useDeed, useGrant, useTrashSource, useUnlink } from "@/features/sources/api";
import { isWorking } from "@/features/sources/lib/status";
import type { Notebook, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Menu, type MenuItem } from "@/shared/ui/Menu";

interface SourceMenuProps {
  source: Source;
  notebook: Notebook;
  canEdit: boolean;
  item: RefObject<HTMLLIElement | null>;
  onOpen: (sourceId: string) => void;
  onDialog: (dialog: "report" | "details") => void;
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
  const again: MenuItem = isWorking(source)
    ? { label: t("sources.stop"), icon: "stop", run: () => deed.mutate({ id: source.id, deed: "stop" }) }
    : { label: t("sources.reread"), icon: "refresh", run: () => deed.mutate({ id: source.id, deed: "reread" }) };
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
