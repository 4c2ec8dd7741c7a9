/** Endings of files that can be read here, for the file chooser; what a file really is, the server tells by its bytes. */
const ENDINGS = [
  "pdf", "md", "markdown", "txt", "text", "log", "rst", "html", "htm", "xhtml", "docx", "pptx", "xlsx", "odt", "odp", "ods", "csv", "tsv", "rtf", "epub", "eml", "zip",
  "png", "jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "avif", "mp3", "wav", "m4a", "mp4", "mov", "aac", "ogg", "oga", "opus", "flac", "webm", "aiff", "aif",
]; // prettier-ignore

// Phones offer the camera, the recorder and all their pictures only for whole families of types.
export const ACCEPT = [...ENDINGS.map((ending) => `.${ending}`), "image/*", "audio/*", "text/*"].join(",");
