import { describe, expect, it } from "vitest";
import { FrameParser, framesOf } from "./sse";

const stream = 'id: 1\nevent: token\ndata: {"text":"Ä😀"}\n\n: still here\n\nid: 2\r\nevent: done\r\ndata: {}\r\n\r\n';

describe("the event stream parser", () => {
  it("gives the same frames for every split of the text", () => {
    const whole = new FrameParser().push(stream);
    expect(whole).toEqual([
      { id: "1", event: "token", text: '{"text":"Ä😀"}' },
      { id: "2", event: "done", text: "{}" },
    ]);
    for (let at = 1; at < stream.length; at += 1) {
      const parser = new FrameParser();
      expect([...parser.push(stream.slice(0, at)), ...parser.push(stream.slice(at))]).toEqual(whole);
    }
  });

  it("a letter cut in the middle of its bytes arrives whole", async () => {
    const bytes = new TextEncoder().encode(stream);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const texts: string[] = [];
    for await (const frame of framesOf(body)) texts.push(frame.text);
    expect(texts).toEqual(['{"text":"Ä😀"}', "{}"]);
  });

  it("a connection that falls silent is given up", async () => {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new TextEncoder().encode("data: a\n\n")) });
    const read = async (): Promise<string[]> => {
      const texts: string[] = [];
      for await (const frame of framesOf(body, 20)) texts.push(frame.text);
      return texts;
    };
    await expect(read()).rejects.toThrow("silent");
  });

  it("comments and frames without data give nothing", () => {
    expect(new FrameParser().push(": hello\n\nevent: stage\n\n")).toEqual([]);
  });

  it("several data lines are joined and a frame without a name is a message", () => {
    expect(new FrameParser().push("data: a\ndata:b\n\n")).toEqual([{ id: "", event: "message", text: "a\nb" }]);
  });
});
