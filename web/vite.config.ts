/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// `npm run dev` talks to a running gateway, or to the stand-in of dev/server.mjs.
const gateway = process.env["SOURCEBOOK_URL"] ?? "http://127.0.0.1:8601";
const port = Number(process.env["WEB_PORT"] ?? 8600);

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: { host: "127.0.0.1", port, strictPort: true, proxy: { "/api": gateway } },
  build: {
    target: "es2022",
    manifest: true,
    assetsInlineLimit: 0, // data: addresses are refused by the content security policy
    modulePreload: { polyfill: false }, // the polyfill is for browsers older than the target
  },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
