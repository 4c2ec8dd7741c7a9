import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/App";
import { fetchAhead } from "@/app/screens";
import { firstLanguage, setLanguage } from "@/shared/i18n/i18n";
import { keepFocus } from "@/shared/lib/focus";
import "@/shared/ui/tokens.css";
import "@/shared/ui/base.css";

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
fetchAhead(location.pathname);
await setLanguage(firstLanguage());
keepFocus();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
