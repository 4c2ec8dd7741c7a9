import { useRef, useState } from "react";
import type { At } from "@/features/citations/lib/address";
import type { OutlineItem, Source, SourceKind } from "@/shared/api/types";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { Popover } from "@/shared/ui/Popover";
import type { Finder } from "../lib/useSearchIn";
import { fileKind, type View } from "../lib/shape";
import type { Zoom } from "../lib/useZoom";
import styles from "./Reader.module.css";

export interface ToolsProps {
  source: Source;
  outline: readonly OutlineItem[];
  page: number;
  /** 0: the source has none. */
  pages: number;
  view: View;
  /** Its text and its pictures can both be shown. */
  canSwitch: boolean;
  zoom: Zoom;
  finder: Finder;
  onView: (view: "pages" | "text") => void;
  onPage: (page: number) => void;
  onPlace: (at: At) => void;
}

/** The line of tools: outline, page, zoom, text or picture, search. */
export function Tools({ source, outline, page, pages, view, canSwitch, zoom, finder, onView, onPage, onPlace }: ToolsProps) {
  const t = useT();
  const kind = fileKind(source);
  return (
    <div className={styles.tools} role="toolbar" aria-label={t("reader.name")}>
      {outline.length > 0 ? <Outline items={outline} onPlace={onPlace} /> : null}
      {pages > 1 || kind === "pdf" ? <PageField key={page} kind={kind} page={page} pages={pages} onPage={onPage} /> : <span className={styles.grow} />}
      {view === "pages" ? <ZoomTools zoom={zoom} /> : null}
      {canSwitch ? <Switch isPicture={kind === "image"} view={view} onView={onView} /> : null}
      <IconButton small icon="search" keys="f" label={t("reader.search")} aria-pressed={finder.isOpen} onClick={finder.isOpen ? finder.close : finder.open} />
    </div>
  );
}

/** From the picture to its text and back. */
function Switch({ isPicture, view, onView }: { isPicture: boolean; view: View; onView: (view: "pages" | "text") => void }) {
  const t = useT();
  const isPages = view === "pages";
  const name = isPages ? "reader.showText" : isPicture ? "reader.showImage" : "reader.showPicture";
  return (
    <Button small look="quiet" icon={isPages ? "text" : "image"} onClick={() => onView(isPages ? "text" : "pages")} aria-label={t(name)} data-testid="reader-view">
      {isPages ? t("reader.text") : isPicture ? t("card.picture") : t("reader.picture")}
    </Button>
  );
}

function ZoomTools({ zoom }: { zoom: Zoom }) {
  const t = useT();
  const percent = Math.round(zoom.value * 100);
  return (
    <div className={styles.zoom}>
      <IconButton small icon="minus" keys="−" label={t("reader.zoomOut")} disabled={!zoom.out} onClick={() => zoom.out?.()} />
      <Button small look="quiet" className={styles.percent} aria-label={t("reader.zoom", { n: percent })} onClick={zoom.fit}>
        {percent} %
      </Button>
      <IconButton small icon="add" keys="+" label={t("reader.zoomIn")} disabled={!zoom.in} onClick={() => zoom.in?.()} />
    </div>
  );
}

const NTH: Partial<Record<SourceKind, Key>> = { image: "reader.pictureNth", office: "reader.slideNth" };

/** "Page 17 of 34": the number can be typed over. */
function PageField({ kind, page, pages, onPage }: { kind: SourceKind; page: number; pages: number; onPage: (page: number) => void }) {
  const t = useT();
  const [text, setText] = useState(String(page));
  const words = t(NTH[kind] ?? "reader.page", { k: "\u0000", n: pages }).split("\u0000");
  const go = (): void => {
    const wanted = Number.parseInt(text, 10);
    if (wanted >= 1 && wanted <= pages && wanted !== page) onPage(wanted);
    else setText(String(page));
  };
  return (
    <form
      className={styles.page}
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      {words[0]}
      <input inputMode="numeric" value={text} size={Math.max(2, text.length)} aria-label={t("reader.goTo")} data-testid="reader-page" onChange={(event) => setText(event.target.value)} onBlur={go} onFocus={(event) => event.target.select()} />
      {words[1]}
    </form>
  );
}

function Outline({ items, onPlace }: { items: readonly OutlineItem[]; onPlace: (at: At) => void }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <IconButton ref={button} small icon="list" label={t("reader.outline")} aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />
      <Popover anchor={button} open={isOpen} onClose={() => setOpen(false)} label={t("reader.outline")} className={styles.outline}>
        <ul>
          {items.map((item, at) => (
            <li key={at}>
              <button
                type="button"
                className={styles.entry}
                data-level={Math.min(4, item.level)}
                dir="auto"
                onClick={() => {
                  setOpen(false);
                  onPlace({ passage: item.passage, start: item.start, end: item.start });
                }}
              >
                {item.title}
                {item.page ? <span>{item.page}</span> : null}
              </button>
            </li>
          ))}
        </ul>
      </Popover>
    </>
  );
}
