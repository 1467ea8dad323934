/**
 * Puts Swagger UI, the viewer of the API reference, beside the built code: its script and its style
 * sheet, compressed. As a dependency, the package would bring ten times as much. The compression is
 * gzip, which every browser accepts, even without TLS.
 * Runs in `npm run build`, and after an install in a clone.
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
  // The source map is not packed, so its address is removed: a browser's developer tools would
  // request it.
  const text = readFileSync(join(from, name), "utf8").replace(/\n(\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n");
  writeFileSync(join(to, `${name}.gz`), gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
}
for (const name of ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"])
  copyFileSync(join(from, name), join(to, name));
