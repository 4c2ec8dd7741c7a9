import { Shell } from "@/app/Shell";
import { AssistantList, NewAssistantButton } from "@/features/assistants/components/AssistantList";
import { useT } from "@/shared/i18n/i18n";
import { useTitle } from "@/shared/lib/title";

/** `/assistants`. */
export default function AssistantsPage() {
  const t = useT();
  useTitle(t("assistants.title"));
  return (
    <Shell title={t("assistants.title")} lead={t("assistants.lead")} actions={<NewAssistantButton />}>
      <AssistantList />
    </Shell>
  );
}
