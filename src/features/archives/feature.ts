import type { Feature } from "../feature.ts";
import { addArchiveCommands } from "./commands.ts";

/** Agents as portable files: export, import, scheduled exports, a folder of Markdown. */
export const archives: Feature = {
  name: "archives",
  addCommands: addArchiveCommands,
  loadService: async (config) => (await import("./service.ts")).archiveService(config),
};
