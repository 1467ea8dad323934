import type { Feature } from "../feature.ts";
import { addBranchCommands } from "./commands.ts";

/** Copies of agents: branch, compare, merge. */
export const branches: Feature = {
  name: "branches",
  requires: ["archives", "snapshots"],
  addCommands: addBranchCommands,
  loadService: async () => {
    const [{ branchRoutes }, { branchJob }] = await Promise.all([import("./routes.ts"), import("./branch-job.ts")]);
    return { routes: branchRoutes, jobs: [branchJob] };
  },
};
