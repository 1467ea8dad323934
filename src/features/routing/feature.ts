import type { Feature } from "../feature.ts";

/** Rules of a tenant that send the messages of several channels to its agents. */
export const routing: Feature = {
  name: "routing",
  loadService: async () => ({ routes: (await import("./routes.ts")).routingRoutes }),
};
