/**
 * Puts Swagger UI, the viewer of the API reference, beside the built code: its script and its style
 * sheet, compressed. As a dependency, the package would bring ten times as much. The compression is
 * gzip, which every browser accepts, even without TLS.
 * Runs in `npm run build`, and after an install in a clone.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { VIEWER_FILES } from "../src/http/reference-page.ts";
import { withUnpacked } from "./unpack-package.ts";

const to = join(import.meta.dirname, "../dist/reference");
mkdirSync(to, { recursive: true });
const licenses = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"];
withUnpacked("swagger-ui-dist", [...Object.values(VIEWER_FILES), ...licenses], (from) => {
  for (const name of Object.values(VIEWER_FILES)) {
    // The source map is not packed, so its address is removed: a browser's developer tools would
    // request it.
    const text = readFileSync(join(from, name), "utf8").replace(/\n(\/\/|\/\*)# sourceMappingURL=.*\s*$/, "\n");
    writeFileSync(join(to, `${name}.gz`), gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
  }
  for (const name of licenses) copyFileSync(join(from, name), join(to, name));
});
