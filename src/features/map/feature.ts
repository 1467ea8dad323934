import type { Feature } from "../feature.ts";

/** A map of the memory: its passages and facts as points, near each other if they mean similar things. */
export const memoryMap: Feature = {
  name: "map",
  loadService: async () => {
    const [{ mapRoutes }, { mapJob }] = await Promise.all([import("./routes.ts"), import("./map-job.ts")]);
    return { routes: mapRoutes, jobs: [mapJob] };
  },
};
