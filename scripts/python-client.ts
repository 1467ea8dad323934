/**
 * `npm run python` writes the generated parts of the Python client: the types, from the API, and
 * the blocking modules, from the asynchronous ones.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRecollect } from "../src/start/create-recollect.ts";
import { blockingModules } from "./python/blocking-modules.ts";
import { renderPythonTypes } from "./python/python-types.ts";

const PACKAGE = "clients/python/src/recollect";

const recollect = await createRecollect({ provider: "none" });
const document = await recollect.request<object>("GET", "/openapi.json");
await recollect.close();
writeFileSync(join(PACKAGE, "types.py"), renderPythonTypes(document));
for (const [name, text] of blockingModules()) writeFileSync(join(PACKAGE, "_sync", name), text);
