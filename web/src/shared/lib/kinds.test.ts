import { expect, it } from "vitest";
import { lookOf } from "@/shared/lib/kinds";

it.each([
  ["pdf", "application/pdf", "pdf"],
  ["url", "text/html", "page"],
  ["url", null, "page"],
  ["url", "application/xhtml+xml", "page"],
  ["url", "application/pdf", "pdf"],
  ["url", "image/png", "picture"],
  ["url", "audio/mpeg", "recording"],
  ["url", "text/csv", "table"],
  ["url", "application/vnd.oasis.opendocument.text", "document"],
  ["image", "image/avif", "picture"],
  ["audio", "video/mp4", "recording"],
  ["office", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "document"],
  ["office", "application/vnd.oasis.opendocument.text", "document"],
  ["office", "application/vnd.openxmlformats-officedocument.presentationml.presentation", "slides"],
  ["office", "application/vnd.oasis.opendocument.presentation", "slides"],
  ["office", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "table"],
  ["office", "application/vnd.oasis.opendocument.spreadsheet", "table"],
  ["office", "text/csv", "table"],
  ["office", "text/tab-separated-values", "table"],
  ["office", "message/rfc822", "mail"],
  ["office", "application/epub+zip", "book"],
  ["office", "text/html", "page"],
  ["office", "application/rtf", "document"],
  ["office", null, "document"],
  ["something new", null, "document"],
])("%s with %s is a %s", (kind, media_type, look) => {
  expect(lookOf({ kind, media_type })).toBe(look);
});
