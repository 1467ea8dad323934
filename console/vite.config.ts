import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
  // The base is relative, because the service may be behind a path prefix that it does not know.
  base: "./",
  plugins: [react()],
  resolve: { alias: { "recollect/client": at("../src/client/client.ts") } },
  build: {
    outDir: at("../dist/console"),
    emptyOutDir: true,
    // Inlined files would be `data:` addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The build is one file. test/console/server.test.ts limits its gzipped size.
    chunkSizeWarningLimit: 800,
  },
  // For `npm run console`, which runs next to `npm start`.
  server: { proxy: { "/v1": "http://127.0.0.1:7420" } },
});
