// The stand-in's notebook with one source of every kind: texts, pictures, tables and a sound, made on the fly.
import { source } from "./state.mjs";

const points = (text) => Array.from(text).length;
const OFFICE = "application/vnd.openxmlformats-officedocument";
const ago = (days) => new Date(Date.now() - days * 864e5).toISOString();
const report = (fields) => ({ pages: null, by_text: 0, by_vision: 0, empty: [], not_read: [], words: 900, characters: 5200, warnings: [], calls: 0, cost: null, seconds: 3, ...fields });

/** What each one is asked about: the words its citation quotes. */
export const SAID = {
  photo: "Swimming is allowed from 1 June to 30 September between 7 and 20 o'clock.",
  minutes: "The board resolved to buy 12 benches for the harbour at 240 crowns each.",
  mixed: "Station 14 was moved 80 metres to the north in March 1994.",
  table: "Inner ring\t4711\t36.4\tcounted by hand",
  list: "Lindgasse\t12.5\t1904",
  talk: "So we measured at night as well, and the difference was forty percent.",
  memo: "Remember to ask the archive for the second box.",
  letter: "The contract ends on 31 December without notice.",
  slides: "Three of five towns met the target in 2024.",
  mail: "We can deliver the 40 sensors in week 23.",
  book: "Nobody had crossed the pass after the first snow in forty years.",
  page: "The inner ring becomes a zone of 30 km/h on 1 September.",
};

const LINES = [
  "The lake belongs to the town, and the town looks after the jetty.", "Dogs stay on the lead between the huts and the landing stage.", "Rowing boats may be hired at the house beside the weir.",
  "Whoever finds a lost key hands it in at the office.", "In autumn the water is let down by half a metre.", "The path along the shore was mended in the spring.",
  "Reports are read aloud and then filed by year.", "The treasurer thanked those who had helped at the fair.",
];
const fill = (from, count) => Array.from({ length: count }, (_, at) => LINES[(from * 3 + at * 5) % LINES.length]);
const vision = (page, text) => ({ page, heading: null, method: "vision", text });
const described = (passage) => ({ ...passage, description_at: points(passage.text.slice(0, passage.text.indexOf("The picture shows"))) });
const plain = (text, fields = {}) => ({ page: null, heading: null, method: "text", text, ...fields });

const TEXTS = {
  photo: () => [described(vision(null, `BATHING PLACE\n\n${fill(1, 2).join("\n")}\n${SAID.photo}\n${fill(2, 3).join("\n")}\n\nThe picture shows a notice board of wood beside a lake, with a lifebelt to its left.\n`))],
  minutes: () => [1, 2, 3].map((page) => vision(page, `Minutes of 4 May 1931, sheet ${page}\n\n${fill(page, 4).join("\n")}\n${page === 2 ? `${SAID.minutes}\n` : ""}${fill(page + 4, 9).join("\n")}\n`)),
  mixed: () => Array.from({ length: 12 }, (_, at) => (at >= 4 && at < 8 ? vision(at + 1, `Appendix, card ${at + 1}\n\n${fill(at, 5).join("\n")}\n${at === 5 ? `${SAID.mixed}\n` : ""}${fill(at + 9, 8).join("\n")}\n`) : { ...plain(`${at + 1}. Survey\n\n${fill(at, 12).join(" ")}\n`), page: at + 1 })),
  letter: () => [["Contract of tenancy", 6], ["Duration", 4], ["Costs", 9]].map(([heading, count], at) => plain(`${heading}\n\n${fill(at, count).join(" ")}${at === 1 ? ` ${SAID.letter}` : ""}\n\n`, { heading })),
  slides: () => ["Noise in towns", "What was measured", "Results", "What next"].map((title, at) => plain(`${title}\n${fill(at, 3).join("\n")}${at === 2 ? `\n${SAID.slides}` : ""}\n\nNotes: ${fill(at + 5, 2).join(" ")}\n`, { page: at + 1, heading: title })),
  mail: () => [plain(`From: Ines Vogt <ines@example.org>\nTo: Ada\nDate: Tue, 3 Jun 2025 09:12:00 +0200\nSubject: Sensors\n\nDear Ada,\n\n${fill(3, 2).join(" ")}\n${SAID.mail}\n\nKind regards\nInes\n\nAttached: offer.pdf (not read)\n`, { heading: "Sensors" })],
  book: () => Array.from({ length: 9 }, (_, at) => plain(`Chapter ${at + 1}\n\n${fill(at, 40).join(" ")}\n\n${at === 4 ? `${SAID.book} ` : ""}${fill(at + 7, 60).join(" ")}\n\n`, { heading: `Chapter ${at + 1}` })),
  page: () => ["Thirty in the inner ring", "What changes", "Questions"].map((heading, at) => plain(`${heading}\n\n${at === 1 ? `${SAID.page} ` : ""}${fill(at, 8).join(" ")}\n\n`, { heading })),
  memo: () => [{ ...plain(`${fill(1, 3).join(" ")} ${SAID.memo} ${fill(4, 3).join(" ")}`), method: "speech" }],
  talk: () => Array.from({ length: 320 }, (_, at) => ({ ...plain(`${fill(at, 5).join(" ")}${at === 16 ? ` ${SAID.talk}` : ""}\n`), method: "speech", start_ms: at * 45_000 + 300, end_ms: (at + 1) * 45_000 })),
  table: () => [...rowsOf("Streets", 5000), ...rowsOf("Sheet 2", 120)],
  list: () => rowsOf(null, 300),
};

/** Rows of a sheet as passages of fifty lines, cells parted by tabs. */
function rowsOf(sheet, count) {
  const lines = Array.from({ length: count }, (_, at) => {
    const row = at + 2;
    if (sheet === "Sheet 2" && row === 41) return SAID.table;
    if (sheet === null && row === 17) return SAID.list;
    return sheet === null ? `Street ${row}\t${(row % 31) / 2}\t${1850 + (row % 150)}` : `${["Market", "Harbour", "Outer ring", "Old town"][row % 4]} ${row}\t${(row * 37) % 9000}\t${((row * 7) % 400) / 10}\t${row % 9 === 0 ? LINES[row % 8] : ""}`;
  });
  const lead = sheet === null ? "Street\tWidth\tYear" : "Place\tVehicles\tkm/h\tRemark";
  return Array.from({ length: Math.ceil(count / 50) }, (_, at) => {
    const part = lines.slice(at * 50, at * 50 + 50);
    return { ...plain(`${part.join("\n")}\n`), sheet, rows: [at * 50 + 2, at * 50 + 1 + part.length], lead };
  });
}

/** Passages of one of these sources, or null for any other. */
export function ofKind(row) {
  const make = TEXTS[row.meta?.dev];
  return make ? make().map((passage, at) => ({ passage: at, state: "read", code: null, sheet: null, rows: null, lead: null, start_ms: null, end_ms: null, ...passage })) : null;
}

const DAYS = 6;
export const kinds = () => [
  source({ title: "Notice board at the lake", kind: "image", media_type: "image/jpeg", file_name: "notice.jpg", words: 70, meta: { dev: "photo" }, report: report({ by_vision: 1 }) }),
  source({ title: "Minutes 1931 (scanned)", kind: "image", media_type: "image/tiff", pages: 3, words: 420, meta: { dev: "minutes" }, report: report({ pages: 3, by_vision: 3 }) }),
  source({ title: "Survey of stations with a scanned appendix", kind: "pdf", media_type: "application/pdf", pages: 12, words: 2100, meta: { dev: "mixed" }, report: report({ pages: 12, by_text: 8, by_vision: 4 }) }),
  source({ title: "Traffic counts.xlsx", kind: "office", media_type: `${OFFICE}.spreadsheetml.sheet`, file_name: "Traffic counts.xlsx", words: 15_000, meta: { dev: "table" } }),
  source({ title: "Street register.csv", kind: "office", media_type: "text/csv", words: 900, meta: { dev: "list" } }),
  source({ title: "Talk on noise at night, four hours with questions", kind: "audio", media_type: "audio/mpeg", duration_ms: 14_400_000, words: 26_000, meta: { dev: "talk" } }),
  source({ title: "Voice memo", kind: "audio", media_type: "audio/mp4", duration_ms: 42_000, words: 60, meta: { dev: "memo" } }),
  source({ title: "Contract.docx", kind: "office", media_type: `${OFFICE}.wordprocessingml.document`, words: 300, meta: { dev: "letter" } }),
  source({ title: "Noise in towns.pptx", kind: "office", media_type: `${OFFICE}.presentationml.presentation`, pages: 4, words: 200, meta: { dev: "slides" } }),
  source({ title: "Sensors (mail)", kind: "office", media_type: "message/rfc822", words: 80, meta: { dev: "mail" } }),
  source({ title: "Over the pass", kind: "office", media_type: "application/epub+zip", words: 9000, authors: ["E. Lund"], year: 1912, meta: { dev: "book" } }),
  source({ title: "City council: thirty in the inner ring", kind: "url", media_type: "text/html", url: "https://council.example.org/news/thirty", fetched_at: ago(DAYS), words: 400, meta: { dev: "page" } }),
];

const W = 640;
const H = { photo: 420 };

/** Words of a picture with boxes: lines of handwriting, one text line each. */
export function scanWords(row, passage) {
  const height = H[row.meta.dev] ?? 900;
  const items = [];
  let y = 60;
  for (const match of passage.text.matchAll(/[^\n]+|\n/gu)) {
    if (match[0] === "\n") {
      y += 13;
      continue;
    }
    let x = 48;
    for (const word of match[0].matchAll(/\S+/gu)) {
      const start = points(passage.text.slice(0, match.index + word.index));
      const width = points(word[0]) * 6.2;
      if (x + width > W - 40) {
        x = 48;
        y += 22;
      }
      items.push({ text: word[0], start, end: start + points(word[0]), x0: x / W, y0: y / height, x1: (x + width) / W, y1: (y + 16) / height });
      x += width + 6;
    }
    y += 13;
  }
  return { page: passage.page ?? 1, width: W, height, passage: passage.passage, items };
}

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

export function scanPicture(row, passage) {
  const { height, items } = scanWords(row, passage);
  const words = items.map((word) => `<text x="${word.x0 * W}" y="${word.y1 * height - 3}" textLength="${(word.x1 - word.x0) * W}" lengthAdjust="spacingAndGlyphs">${escape(word.text)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${W * 2}" height="${height * 2}" viewBox="0 0 ${W} ${height}" font-family="Liberation Mono, monospace" font-size="13" fill="#35302a"><rect width="100%" height="100%" fill="#efe6d2"/>${words.join("")}</svg>`;
}

/** What /table gives. */
export function tableOf(passages, query) {
  const names = [...new Set(passages.map((passage) => passage.sheet))];
  const sheet = query.get("sheet") ?? names[0];
  const own = passages.filter((passage) => (passage.sheet ?? "") === (sheet ?? ""));
  const sizeOf = (name) => Math.max(...passages.filter((passage) => passage.sheet === name).map((passage) => passage.rows[1]));
  const from = Number(query.get("from") ?? 1);
  const to = Math.min(Number(query.get("to") ?? from + 99), sizeOf(sheet || null));
  const rows = [];
  for (const passage of own.filter((known) => known.rows[1] >= from && known.rows[0] <= to)) {
    let start = 0;
    passage.text.replace(/\n$/, "").split("\n").forEach((line, at) => {
      const row = passage.rows[0] + at;
      if (row >= from && row <= to) rows.push({ row, passage: passage.passage, start, end: start + points(line), cells: line.split("\t") });
      start += points(line) + 1;
    });
  }
  return { sheets: names.map((name) => ({ name: name ?? "", rows: sizeOf(name) })), sheet: sheet ?? "", header: own[0].lead.split("\t"), from, to, rows, total: sizeOf(sheet || null) };
}

const RATE = 8000;
/** A sound of silence with a tick a second: eight-bit samples, any part of it without the rest. */
export function sound(durationMs, from, to) {
  const samples = Math.round((durationMs / 1000) * RATE);
  const size = 44 + samples;
  const end = Math.min(to ?? from + 2_000_000, size - 1);
  const part = Buffer.alloc(end - from + 1, 128);
  for (let at = from; at <= end; at += 1) if (at >= 44 && (at - 44) % RATE < 200) part[at - from] = 128 + Math.round(20 * Math.sin((at - 44) / 3));
  if (from < 44) header(samples).copy(part, 0, from, Math.min(44, end + 1));
  return { size, end, part };
}

function header(samples) {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples, 40);
  return head;
}
