import type { Feature } from "../feature.ts";
import { addSnapshotCommands } from "./commands.ts";

/** Recorded states of an agent's files and facts, and rollbacks to them. */
export const snapshots: Feature = {
  name: "snapshots",
  addCommands: addSnapshotCommands,
  loadService: async () => ({ routes: (await import("./routes.ts")).snapshotRoutes }),
};
