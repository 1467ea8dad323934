import type { Feature } from "../feature.ts";
import { addShareCommands } from "./commands.ts";

/** Memories that one agent offers to another, which then searches and reads them too. */
export const sharing: Feature = {
  name: "sharing",
  addCommands: addShareCommands,
  loadService: async () => {
    const [{ shareRoutes }, { openSharedAt, planSharedSearches }] = await Promise.all([
      import("./routes.ts"),
      import("./shared-memories.ts"),
    ]);
    const hooks = { planOtherSearches: planSharedSearches, openOtherMemory: openSharedAt };
    return { routes: shareRoutes, hooks };
  },
};
