import { pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";

/**
 * Packs the tables of the language detection (eld) as JSON text. V8 keeps the code of an object literal
 * beside the object: as a literal the table of a megabyte takes 94 MB of a thread, as JSON 41.
 */
export const tablesAsJson: Plugin = {
  name: "tables as JSON",
  load: {
    filter: { id: /[\\/]eld[\\/]src[\\/]ngrams[\\/]/ },
    handler: async (id) => {
      const tables = (await import(pathToFileURL(id).href)) as Record<string, unknown>;
      return Object.entries(tables)
        .map(([name, table]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(table))});`)
        .join("\n");
    },
  },
};
