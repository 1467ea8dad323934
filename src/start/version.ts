import { readFileSync } from "node:fs";

/** The package's version. package.json is two folders up from both src/start and dist/start. */
export const VERSION: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
