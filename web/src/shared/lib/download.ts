/** Lets the browser fetch a file of the API and keep it. */
import { apiUrl } from "@/shared/api/client";

export function download(path: string): void {
  const link = document.createElement("a");
  link.href = apiUrl(path);
  link.download = "";
  link.click();
}
