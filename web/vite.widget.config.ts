import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The embeddable widget: one classic script in one request, beside the page's own build.
export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  publicDir: false,
  build: {
    target: "es2022",
    emptyOutDir: false,
    lib: { entry: fileURLToPath(new URL("./src/widget/main.ts", import.meta.url)), formats: ["iife"], name: "SourcebookWidget", fileName: () => "widget.js" },
  },
});
