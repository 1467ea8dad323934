import type { Feature } from "../feature.ts";
import { addImport } from "./commands.ts";

/** Imports of other products' memories: conversations, facts and notes. */
export const imports: Feature = {
  name: "imports",
  addCommands: addImport,
};
