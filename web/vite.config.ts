/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

// `npm run dev` talks to a running gateway, or to the stand-in of dev/server.mjs.
const gateway = process.env["SOURCEBOOK_URL"] ?? "http://127.0.0.1:8601";
const port = Number(process.env["WEB_PORT"] ?? 8600);

// The files of the sample notebook have one home, the command line's package; the page carries copies.
const SAMPLE = ["welcome.md", "How answers are checked.pdf"];
const sample = (): Plugin => ({
  name: "sample",
  apply: "build",
  generateBundle() {
    for (const file of SAMPLE) {
      const source = readFileSync(fileURLToPath(new URL(`../sourcebook/sample/${file}`, import.meta.url)));
      this.emitFile({ type: "asset", fileName: `sample/${file}`, source });
    }
  },
});

export default defineConfig({
  plugins: [react(), sample()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)), "@docs": fileURLToPath(new URL("../docs", import.meta.url)) } },
  server: { host: "127.0.0.1", port, strictPort: true, proxy: { "/api": gateway }, fs: { allow: [".", "../docs"] } },
  build: {
    target: "es2022",
    manifest: true,
    assetsInlineLimit: 0, // data: addresses are refused by the content security policy
    modulePreload: { polyfill: false }, // the polyfill is for browsers older than the target
    rolldownOptions: {
      output: {
        advancedChunks: {
          // Two pieces that every screen needs, instead of thirty small ones.
          groups: [
            { name: "vendor", test: /node_modules\/(react|react-dom|scheduler|wouter|regexparam|mitt|use-sync-external-store|@tanstack\/(query-core|react-query))\// },
            { name: "shared", test: /src\/shared\/(api|lib|ui|i18n\/(i18n|format)\.ts)/ },
          ],
        },
      },
    },
  },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
