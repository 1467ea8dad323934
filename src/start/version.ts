import { readFileSync } from "node:fs";

/** The package's version. package.json stands two folders up both from src/start and from dist/start. */
export const VERSION: string = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
