import { useMe, useModels } from "@/shared/api/queries";

/** Whether a picture reader is connected; false for those who may not see the models. */
export function usePictureReader(): boolean {
  const me = useMe();
  const models = useModels(me.data?.role === "owner" || me.data?.role === "admin");
  return models.data?.items.some((item) => item.role === "vision" && item.provider !== "none") ?? false;
}
