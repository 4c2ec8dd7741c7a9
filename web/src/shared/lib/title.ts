import { useEffect } from "react";

/** The window's title while this screen is shown. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Sourcebook` : "Sourcebook";
  }, [title]);
}
