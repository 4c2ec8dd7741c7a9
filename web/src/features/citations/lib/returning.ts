/** The way back from the reader: which mark it was opened from and where the conversation stood. */

const KEY = "sourcebook.return";

export interface Return {
  readonly turnId: string;
  /** Which mark of the answer, counted from 0. */
  readonly mark: number;
  /** Scroll place of the conversation; null when the person stepped on to another mark or came by an address. */
  readonly top: number | null;
}

export function rememberReturn(place: Return): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(place));
  } catch {
    // storage full or forbidden: Back still leads to the conversation
  }
}

export function returnPlace(): Return | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Return | null;
  } catch {
    return null;
  }
}

/** The reader went on to another mark of the answer: Back leads there. */
export function moveReturn(turnId: string, mark: number): void {
  const known = returnPlace();
  if (known?.turnId === turnId && known.mark === mark) return;
  rememberReturn({ turnId, mark, top: null });
}

export function forgetReturn(): void {
  sessionStorage.removeItem(KEY);
}
