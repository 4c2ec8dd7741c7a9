/** The screens, each its own piece; the one of the address is fetched beside the words, not after them. */

import { withWords, type Extra } from "@/shared/i18n/i18n";

/** A screen, once its own words are there too. */
const worded = async <T>(screen: Promise<T>, words: Extra): Promise<T> => (await Promise.all([screen, withWords(words)]))[0];

export const screens = {
  home: () => import("@/app/HomePage"),
  workspace: () => import("@/app/Workspace"),
  find: () => import("@/app/FindPage"),
  questions: () => import("@/app/QuestionsPage"),
  library: () => import("@/app/LibraryPage"),
  usage: () => import("@/app/UsagePage"),
  assistants: () => worded(import("@/app/AssistantsPage"), "assistants"),
  assistant: () => worded(import("@/app/AssistantPage"), "assistants"),
  settings: () => worded(import("@/app/SettingsPage"), "access"),
  models: () => import("@/app/ModelsPage"),
  health: () => import("@/app/HealthPage"),
  signIn: () => import("@/app/SignInPage"),
  notHere: () => import("@/app/NotHere"),
};

const PATHS: [RegExp, keyof typeof screens][] = [
  [/^\/$/, "home"],
  [/^\/n\/[^/]+\/questions$/, "questions"],
  [/^\/n\//, "workspace"],
  [/^\/find$/, "find"],
  [/^\/library$/, "library"],
  [/^\/usage$/, "usage"],
  [/^\/assistants$/, "assistants"],
  [/^\/assistants\//, "assistant"],
  [/^\/settings$/, "settings"],
  [/^\/admin\/models$/, "models"],
  [/^\/admin\/health$/, "health"],
  [/^\/sign-in$/, "signIn"],
];

/** Starts fetching the screen that `path` names; React asks for the same promise later. */
export function fetchAhead(path: string): void {
  const found = PATHS.find(([test]) => test.test(path));
  if (found) screens[found[1]]().catch(() => undefined); // the screen itself tells when it cannot be loaded
}
