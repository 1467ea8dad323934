import type { Feature } from "../feature.ts";
import { addDoctor } from "./commands.ts";

/** Finds what is wrong with a machine, a service or an agent, and says what to do. */
export const doctor: Feature = {
  name: "doctor",
  addCommands: (program, context, run) => addDoctor(program, context, run),
  loadService: async (config) => ({ routes: (await import("./routes.ts")).doctorRoutes(config) }),
};
