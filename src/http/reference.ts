import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AppError } from "../base/errors.ts";
import { sha256 } from "../base/ids.ts";
import type { BuiltFiles } from "./built-files.ts";
import type { App } from "./context.ts";
import { type ApiDocument, describeApi } from "./describe-api.ts";
import { KEPT_FOR_EVER, pageHeaders } from "./page-headers.ts";
import { referencePage, START_FILE, START_SCRIPT, VIEWER_FILES } from "./reference-page.ts";

const JAVASCRIPT = "text/javascript; charset=utf-8";

/**
 * Serves the reference: for programs at `/openapi.json`, for people at `/reference`. Each is made
 * at its first request.
 *
 * @param read reads the viewer's files; returns undefined if they were not built
 */
export function serveReference(app: App, read: () => BuiltFiles | undefined, version: string): void {
  let document: ApiDocument | undefined;
  app.get("/openapi.json", (c) => {
    document ??= describeApi(app, version);
    return c.json(document);
  });
  let viewer: { files: BuiltFiles; page: string } | undefined;
  const open = () => {
    const files = read();
    if (!files)
      throw new AppError("not_found", "There is no reference here: it was not built (`npm run build:reference`).");
    const names = Object.values(VIEWER_FILES);
    const versions = names.map((name) => [
      name,
      shortHash(Buffer.from(files.get(`${name}.gz`) ?? []).toString("latin1")),
    ]);
    viewer ??= { files, page: referencePage(Object.fromEntries([...versions, [START_FILE, shortHash(START_SCRIPT)]])) };
    return viewer;
  };
  // The viewer's style sheet contains its pictures as `data:` URLs.
  const ofPage = { ...pageHeaders("'self' data:"), "cache-control": "no-cache" };
  app.get("/reference", (c) => c.html((viewer ?? open()).page, 200, ofPage));
  app.get("/reference/", (c) => c.body(null, 302, { location: "../reference" }));
  const headers = { ...pageHeaders(), "cache-control": KEPT_FOR_EVER, vary: "accept-encoding" };
  app.get(`/reference/${START_FILE}`, (c) => c.body(START_SCRIPT, 200, { ...headers, "content-type": JAVASCRIPT }));
  for (const [kind, name] of Object.entries(VIEWER_FILES))
    app.get(`/reference/${name}`, async (c) => {
      const packed = (viewer ?? open()).files.get(`${name}.gz`);
      if (!packed) throw new AppError("not_found", "The reference has no such file; build it anew.");
      const type = { "content-type": kind === "script" ? JAVASCRIPT : "text/css; charset=utf-8" };
      if (/\bgzip\b/.test(c.req.header("accept-encoding") ?? ""))
        return c.body(packed, 200, { ...headers, ...type, "content-encoding": "gzip" });
      return c.body(new Uint8Array(await unpack(packed)), 200, { ...headers, ...type });
    });
}

const unpack = promisify(gunzip);

function shortHash(contents: string): string {
  return sha256(contents).slice(0, 16);
}
