import { useSearch, useLocation } from "wouter";
import { Misses } from "@/features/misses/components/Misses";
import { TestQuestions } from "@/features/misses/components/TestQuestions";
import { useT } from "@/shared/i18n/i18n";
import { Tabs } from "@/shared/ui/Tabs";

type Tab = "misses" | "tests";

/** What was asked and not answered, and the questions that are asked again to test the search. */
export function Questions({ notebookId, onAdd }: { notebookId: string; onAdd: () => void }) {
  const t = useT();
  const [here, go] = useLocation();
  const tab: Tab = new URLSearchParams(useSearch()).get("tab") === "tests" ? "tests" : "misses";
  const show = (next: Tab): void => go(next === "tests" ? `${here}?tab=tests` : here, { replace: true });
  return (
    <Tabs
      label={t("misses.title")}
      value={tab}
      onChange={show}
      tabs={[
        { value: "misses", label: t("misses.tab"), icon: "help" },
        { value: "tests", label: t("misses.tests"), icon: "check" },
      ]}
    >
      {tab === "misses" ? <Misses notebookId={notebookId} onAdd={onAdd} /> : <TestQuestions notebookId={notebookId} />}
    </Tabs>
  );
}
