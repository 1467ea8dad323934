import type { Feature } from "../feature.ts";
import { addIngest } from "./commands.ts";

/** Facts that a chat model extracts from files and texts. */
export const factIngest: Feature = {
  name: "fact-ingest",
  addCommands: addIngest,
  loadService: async () => {
    const [{ ingestRoutes }, { ingestJob }] = await Promise.all([import("./routes.ts"), import("./ingest-job.ts")]);
    return { routes: ingestRoutes, jobs: [ingestJob] };
  },
};
