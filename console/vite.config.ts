import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
  // Relative: the service may stand behind a path prefix that nobody told it.
  base: "./",
  plugins: [react()],
  resolve: { alias: { "recollect/client": at("../src/client/client.ts") } },
  build: {
    outDir: at("../dist/console"),
    emptyOutDir: true,
    // Inlined files would be `data:` addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file, of which test/console/server.test.ts bounds the gzipped size.
    chunkSizeWarningLimit: 800,
  },
  // `npm run console` beside `npm start`.
  server: { proxy: { "/v1": "http://127.0.0.1:7420" } },
});
