import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { all, keys } from "@/shared/api/queries";
import type { Conversation } from "@/shared/api/types";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Popover } from "@/shared/ui/Popover";
import { groupByAge, type Age } from "../lib/ages";
import { ConversationRow } from "./ConversationRow";
import styles from "./Conversations.module.css";

const HEADS: Record<Age, Key> = { today: "talks.today", week: "talks.week", earlier: "talks.earlier" };

export function useConversations(notebookId: string) {
  return useQuery({
    queryKey: keys.conversations(notebookId),
    queryFn: ({ signal }) => all<Conversation>(`/notebooks/${notebookId}/conversations`, signal),
  });
}

/** The button with the conversation's title, and the list under it. */
export function Conversations({ notebookId, current, title }: { notebookId: string; current: string | null; title: string }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button ref={button} look="quiet" icon="list" className={styles.open} aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} data-testid="open-conversations">
        <span className={styles.current} dir="auto">
          {title}
        </span>
      </Button>
      <Popover anchor={button} open={isOpen} onClose={() => setOpen(false)} label={t("talks.title")} className={styles.popover}>
        <List notebookId={notebookId} current={current} onClose={() => setOpen(false)} />
      </Popover>
    </>
  );
}

function List({ notebookId, current, onClose }: { notebookId: string; current: string | null; onClose: () => void }) {
  const t = useT();
  const query = useConversations(notebookId);
  const [words, setWords] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const isLoaded = query.data !== undefined;
  // The popover is shown after its content was built, so the focus can only come after that.
  useEffect(() => {
    const timer = setTimeout(() => (search.current ?? list.current)?.focus());
    return () => clearTimeout(timer);
  }, [isLoaded]);
  const found = (query.data ?? []).filter((talk) => talk.title.toLowerCase().includes(words.trim().toLowerCase()));
  return (
    <div ref={list} className={styles.list} tabIndex={-1} data-testid="conversations">
      {(query.data?.length ?? 0) > 0 ? (
        <input
          type="search"
          className={styles.search}
          value={words}
          placeholder={t("talks.search")}
          aria-label={t("talks.search")}
          ref={search}
          onChange={(event) => setWords(event.target.value)}
        />
      ) : null}
      {query.data?.length === 0 ? <p className={styles.none}>{t("talks.none")}</p> : null}
      {words && found.length === 0 ? <p className={styles.none}>{t("talks.noMatch")}</p> : null}
      {groupByAge(found, new Date()).map(([age, talks]) => (
        <section key={age} aria-label={t(HEADS[age])}>
          <h3 className={styles.head}>{t(HEADS[age])}</h3>
          <ul>
            {talks.map((talk) => (
              <ConversationRow key={talk.id} notebookId={notebookId} talk={talk} isCurrent={talk.id === current} onOpened={onClose} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
