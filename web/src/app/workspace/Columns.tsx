import type { CSSProperties } from "react";
import { BottomTabs } from "@/app/workspace/BottomTabs";
import { ChatColumn } from "@/app/workspace/ChatColumn";
import { Edge } from "@/app/workspace/Edge";
import { useLayout, type Side } from "@/app/workspace/layout";
import { Rail } from "@/app/workspace/Rail";
import { SideColumn } from "@/app/workspace/SideColumn";
import { Note } from "@/features/notes/Note";
import { NotesList } from "@/features/notes/components/NotesList";
import { Reader } from "@/features/reader/Reader";
import { SourcesColumn } from "@/features/sources/components/SourcesColumn";
import { Studio } from "@/features/studio/components/Studio";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { mayEdit } from "@/shared/lib/roles";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { Dialog } from "@/shared/ui/Dialog";
import styles from "@/app/workspace/Columns.module.css";

interface ColumnsProps {
  notebook: Notebook;
  conversationId: string | undefined;
  sourceId: string | null;
  noteId: string | null;
  onAdd: () => void;
  onOpen: (sourceId: string) => void;
}

/** Sources, Chat and Studio, or Chat and Reader; on a narrow screen one of them and tabs below. */
export function Columns({ notebook, conversationId, sourceId, noteId, onAdd, onOpen }: ColumnsProps) {
  const t = useT();
  const isBeside = sourceId !== null || noteId !== null; // a source or a note stands beside the chat
  const layout = useLayout(isBeside);
  const isNarrow = layout.mode === "narrow";
  const chatOnly = notebook.role === "chat_only";
  const canEdit = mayEdit(notebook.role);
  const toColumn = (side: Side): void => {
    if (isNarrow) layout.setTab(side);
    else layout.show(side);
    requestAnimationFrame(() => document.getElementById(`column-${side}`)?.focus());
  };
  const toChat = (): void => {
    layout.setTab("chat");
    requestAnimationFrame(() => document.getElementById("main")?.focus());
  };
  useShortcuts({ "1": () => toColumn("sources"), "2": toChat, "3": () => toColumn("studio") });

  const open = (id: string): void => {
    layout.hide("sources");
    onOpen(id);
  };
  const inside: Record<Side, React.ReactNode> = {
    sources: <SourcesColumn notebook={notebook} openId={sourceId} onOpen={isNarrow || layout.over ? open : onOpen} onAdd={onAdd} />,
    studio: (
      <Studio hasSource={notebook.source_counts.total > 0}>
        <NotesList notebookId={notebook.id} conversationId={conversationId} openId={noteId} canEdit={canEdit} />
      </Studio>
    ),
  };
  const side = (name: Side) => {
    if (chatOnly || layout.shape[name] === "none") return null;
    if (layout.shape[name] === "rail") return <Rail side={name} onShow={() => layout.show(name)} onAdd={name === "sources" ? onAdd : undefined} />;
    const hidden = isNarrow && (layout.tab !== name || isBeside);
    return (
      <SideColumn
        side={name}
        hidden={hidden}
        onHide={isNarrow ? undefined : () => layout.hide(name)}
        alone={isNarrow}
        edge={isNarrow ? null : <Edge side={name} layout={layout} />}
      >
        {inside[name]}
      </SideColumn>
    );
  };
  const widths = { "--w-sources": `${layout.widths.sources}px`, "--w-studio": `${layout.widths.studio}px` } as CSSProperties;
  return (
    <div className={styles.columns} style={widths} data-mode={layout.mode} data-sources={chatOnly ? "none" : layout.shape.sources} data-studio={chatOnly ? "none" : layout.shape.studio} data-reader={isBeside ? "open" : undefined}>
      {side("sources")}
      <ChatColumn notebook={notebook} conversationId={conversationId} hidden={isNarrow && (layout.tab !== "chat" || isBeside)} />
      {sourceId ? (
        <section className={styles.reader} aria-label={t("reader.name")}>
          <Reader notebookId={notebook.id} sourceId={sourceId} />
        </section>
      ) : null}
      {noteId ? (
        <section className={styles.reader} aria-label={t("notes.one")}>
          <Note notebookId={notebook.id} noteId={noteId} conversationId={conversationId} canEdit={canEdit} />
        </section>
      ) : null}
      {side("studio")}
      {layout.over ? (
        <Dialog open onClose={() => layout.over && layout.hide(layout.over)} title={t(`work.${layout.over}`)} size={layout.over === "sources" ? "start" : "side"}>
          {inside[layout.over]}
        </Dialog>
      ) : null}
      {isNarrow && !isBeside && !chatOnly ? <BottomTabs tab={layout.tab} onTab={layout.setTab} /> : null}
    </div>
  );
}
