import { problemWords } from "@/shared/lib/problem";
import { toast } from "@/shared/ui/toast";

/** Tells in a toast that a deed was refused; for `onError` of mutations. */
export function toastFailure(error: unknown): void {
  toast(problemWords(error).text, { tone: "error" });
}
