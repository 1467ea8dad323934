import { extname } from "node:path";
import { AppError } from "../base/errors.ts";
import type { BuiltFiles } from "./built-files.ts";
import type { App } from "./context.ts";
import { KEPT_FOR_EVER, pageHeaders } from "./page-headers.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Serves the console below `/console/`. A browser that opens `/` is redirected there; a program
 * that requests `/` gets an index of the API. All paths are relative, because a proxy may put the
 * service below a prefix.
 *
 * @param read reads the files at the first request; returns undefined if the console is switched
 *   off or was not built
 */
export function serveConsole(app: App, read: () => BuiltFiles | undefined, version: string): void {
  // The files are read at the first request, because most processes that build the app are
  // commands.
  let known: { files: BuiltFiles | undefined } | undefined;
  const filesOf = () => {
    known ??= { files: read() };
    return known.files;
  };
  app.get("/", (c) => {
    const files = filesOf();
    if (files && c.req.header("accept")?.includes("text/html")) return c.body(null, 302, { location: "console/" });
    const links = { openapi: "openapi.json", reference: "reference", ...(files ? { console: "console/" } : {}) };
    return c.json({ name: "recollect", version, ...links });
  });
  // The address is relative to `/console`, so a proxy's prefix is kept.
  app.get("/console", (c) => c.body(null, 302, { location: "console/" }));
  app.get("/console/*", (c) => {
    const path = c.req.path.slice("/console/".length) || "index.html";
    const files = filesOf();
    if (!files)
      throw new AppError(
        "not_found",
        "There is no console here: RECOLLECT_CONSOLE is false, or it was not built (`npm run build:console`).",
      );
    const body = files.get(path);
    if (!body) throw new AppError("not_found", "The console has no such file; open /console/.");
    // The name of an asset contains a hash of its contents.
    const cache = path.startsWith("assets/") ? KEPT_FOR_EVER : "no-cache";
    return c.body(body, 200, {
      ...pageHeaders(),
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "cache-control": cache,
    });
  });
}
