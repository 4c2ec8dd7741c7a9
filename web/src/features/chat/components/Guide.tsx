import { useQuery } from "@tanstack/react-query";
import { api, ApiError } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Guide as GuideShape } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import styles from "./Guide.module.css";

const BUILDING_MS = 4000;

function useGuide(notebookId: string, enabled: boolean) {
  return useQuery({
    queryKey: keys.guide(notebookId),
    queryFn: ({ signal }) => api.get<GuideShape>(`/notebooks/${notebookId}/guide`, signal),
    enabled,
    retry: (count, error) => count < 2 && !(error instanceof ApiError),
    refetchInterval: (query) => (query.state.data?.state === "building" ? BUILDING_MS : false),
  });
}

/** What the notebook is about: two lines, topics, and questions that fill the box and are not sent. Nothing while there is nothing to tell. */
export default function Guide({ notebookId, hasReady }: { notebookId: string; hasReady: boolean }) {
  const t = useT();
  const guide = useGuide(notebookId, hasReady).data;
  if (!guide || guide.state === "none") return null;
  const { summary, topics, questions } = guide;
  if (guide.state === "building" && !summary) return <p className={styles.building}>{t("guide.building")}</p>;
  const fill = (question: string): void => void dispatchEvent(new CustomEvent("sourcebook:question", { detail: question }));
  return (
    <section className={styles.guide} aria-label={t("guide.title")} data-testid="guide">
      {summary ? (
        <div>
          <p className={styles.summary} dir="auto" data-testid="guide-summary">
            {summary.text.replace(/\s*\[\d+(?:\s*[,;]\s*\d+)*\]/g, "")}
          </p>
          <p className={styles.kind}>{t(summary.kind === "written" ? "guide.written" : "guide.quoted")}</p>
        </div>
      ) : null}
      {topics.length > 0 ? (
        <ul className={styles.topics} aria-label={t("guide.topics")}>
          {topics.map((topic) => (
            <li key={topic.label} dir="auto">
              {topic.label}
            </li>
          ))}
        </ul>
      ) : null}
      {questions.length > 0 ? (
        <div className={styles.ask}>
          <h3>{t("guide.questions")}</h3>
          <ul>
            {questions.slice(0, 4).map((question) => (
              <li key={question}>
                <button type="button" className={styles.question} dir="auto" onClick={() => fill(question)} data-testid="guide-question">
                  {question}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </section>
  );
}
