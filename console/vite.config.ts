import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
  // The base is relative, because the service may be behind a path prefix that it does not know.
  base: "./",
  plugins: [tailwind()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    alias: {
      "recollect/client": at("../src/client/client.ts"),
      // The pages are written for React, and its types check them. Preact runs them: React alone is
      // half of what the first load may weigh.
      "react/jsx-runtime": "preact/jsx-runtime",
      "react-dom/client": "preact/compat/client",
      "react-dom": "preact/compat",
      react: "preact/compat",
    },
  },
  build: {
    outDir: at("../dist/console"),
    emptyOutDir: true,
    // Inlined files would be `data:` addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // test/console/server.test.ts limits the size of the first load.
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      // Packages for React's server mark files for the client. There is no server here.
      onLog: (level, log, report) => log.code !== "MODULE_LEVEL_DIRECTIVE" && report(level, log),
      output: {
        // Everything that the frame needs is one file, with what it imports. Many small files are
        // larger when they are compressed, and each is a request.
        codeSplitting: { groups: [{ name: "frame", test: /console[/\\]src[/\\]main\.tsx$/ }] },
      },
    },
  },
  // For `npm run console`, which runs next to `npm start`.
  server: { proxy: { "/v1": "http://127.0.0.1:7420" } },
});
