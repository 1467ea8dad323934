import { extname } from "node:path";
import { AppError } from "../base/errors.ts";
import type { ConsoleFiles } from "./console-files.ts";
import type { App } from "./context.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Only what the console's own files are: nothing inline, nothing from elsewhere, in no other page's frame. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/**
 * Serves the console below `/console/`, and leads people who open `/` there. Paths are relative throughout: a proxy may put the
 * service below a prefix. Programs that ask for `/` get an index of the API.
 *
 * @param read reads the files when they are first asked for; undefined: switched off, or not built
 */
export function serveConsole(app: App, read: () => ConsoleFiles | undefined, version: string): void {
  // When somebody first asks: most processes that open the app are commands.
  let known: { files: ConsoleFiles | undefined } | undefined;
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
  // Relative to `/console`, so that a prefix is kept.
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
    // The name of an asset has a hash of its contents.
    const cache = path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    return c.body(body, 200, {
      ...HEADERS,
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "cache-control": cache,
    });
  });
}
