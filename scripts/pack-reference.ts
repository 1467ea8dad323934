/**
 * Puts the viewer of the API reference, Swagger UI, beside the built code: its script and its style sheet, compressed, since the
 * package would bring ten times as much as a dependency. gzip, which every browser takes also without TLS.
 * Run by `npm run build`, and after an install in a clone.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { VIEWER_FILES } from "../src/http/reference-page.ts";

const from = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const to = join(import.meta.dirname, "../dist/reference");
mkdirSync(to, { recursive: true });
for (const name of Object.values(VIEWER_FILES)) {
  // The map, which a browser's tools would ask for, stays behind.
  const text = readFileSync(join(from, name), "utf8").replace(/\n(\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n");
  writeFileSync(join(to, `${name}.gz`), gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
}
for (const name of ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"])
  copyFileSync(join(from, name), join(to, name));
