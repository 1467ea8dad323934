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
  ".woff2": "font/woff2",
};
/** The compressed copies that the build writes beside a file, best first, by content coding. */
const PACKED = { br: ".br", gzip: ".gz" } as const;

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
    const type = TYPES[extname(path)];
    const packed = type === undefined ? undefined : packedCopy(files, path, c.req.header("accept-encoding") ?? "");
    const body = packed?.body ?? files.get(path);
    if (!body || type === undefined) throw new AppError("not_found", "The console has no such file; open /console/.");
    // The name of an asset contains a hash of its contents.
    const cache = path.startsWith("assets/") ? KEPT_FOR_EVER : "no-cache";
    return c.body(body, 200, {
      ...pageHeaders(),
      "content-type": type,
      "cache-control": cache,
      vary: "accept-encoding",
      ...(packed && { "content-encoding": packed.coding }),
    });
  });
}

/**
 * Returns the console's files with a page that names the features that are switched off, so that the
 * console offers no view of them.
 */
export function withoutFeatures(files: BuiltFiles | undefined, off: readonly string[]): BuiltFiles | undefined {
  const page = files?.get("index.html");
  if (!files || !page || off.length === 0) return files;
  const text = new TextDecoder().decode(page).replace("<html ", `<html data-off="${off.join(" ")}" `);
  const marked = new Map(files).set("index.html", new TextEncoder().encode(text));
  // The compressed copies were made of the page without these names.
  for (const ending of Object.values(PACKED)) marked.delete(`index.html${ending}`);
  return marked;
}

/** Returns the best compressed copy of a file that a browser accepts, if the build made one. */
function packedCopy(files: BuiltFiles, path: string, accepted: string) {
  const refused = /;\s*q=0(\.0*)?\s*$/i;
  const codings = new Set(
    accepted
      .split(",")
      .filter((one) => !refused.test(one))
      .map((one) => one.split(";")[0]?.trim().toLowerCase()),
  );
  for (const [coding, ending] of Object.entries(PACKED)) {
    const body = codings.has(coding) ? files.get(`${path}${ending}`) : undefined;
    if (body) return { coding, body };
  }
  return undefined;
}
