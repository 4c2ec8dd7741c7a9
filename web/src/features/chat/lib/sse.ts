/** Server-sent events over fetch: a parser that takes any split of the bytes, and a reader that yields frames. */

export interface Frame {
  readonly id: string;
  readonly event: string;
  readonly text: string;
}

/**
 * A push parser of the event stream format (WHATWG HTML, section 9.2.6).
 * `push` takes decoded text in pieces of any size and gives the frames that became complete.
 * Comments (keep-alive) give nothing. The last `id:` seen holds for later frames, as the format says.
 */
export class FrameParser {
  private rest = "";
  private id = "";
  private event = "";
  private lines: string[] = [];

  push(piece: string): Frame[] {
    const frames: Frame[] = [];
    this.rest += piece;
    for (;;) {
      const end = this.rest.search(/[\r\n]/);
      if (end < 0) break;
      // A CR at the very end may be the first half of CRLF: wait for the next piece.
      if (this.rest[end] === "\r" && end === this.rest.length - 1) break;
      const step = this.rest.startsWith("\r\n", end) ? 2 : 1;
      const frame = this.line(this.rest.slice(0, end));
      this.rest = this.rest.slice(end + step);
      if (frame) frames.push(frame);
    }
    return frames;
  }

  private line(line: string): Frame | null {
    if (line === "") return this.dispatch();
    if (line.startsWith(":")) return null;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    else if (field === "data") this.lines.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
    return null;
  }

  private dispatch(): Frame | null {
    const { event, lines } = this;
    this.event = "";
    this.lines = [];
    if (lines.length === 0) return null;
    return { id: this.id, event: event || "message", text: lines.join("\n") };
  }
}

/** The gateway sends a comment every 15 s; three times that without a byte is a connection that is gone. */
export const SILENCE_MS = 45_000;

async function readOrGone(reader: ReadableStreamDefaultReader<Uint8Array>, silenceMs: number): Promise<ReadableStreamReadResult<Uint8Array>> {
  let timer = 0;
  const gone = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new Error("the connection fell silent")), silenceMs);
  });
  try {
    return await Promise.race([reader.read(), gone]);
  } finally {
    clearTimeout(timer);
  }
}

/** The frames of a response body, as they come. Ends when the body ends; throws what the network throws, and when it falls silent. */
export async function* framesOf(body: ReadableStream<Uint8Array>, silenceMs = SILENCE_MS): AsyncGenerator<Frame, void, void> {
  const parser = new FrameParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await readOrGone(reader, silenceMs);
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Leaving early (stop, unmount) must free the connection.
    void reader.cancel().catch(() => undefined);
  }
}
