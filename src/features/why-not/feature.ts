import type { Feature } from "../feature.ts";

/** Explains why a search does not show a file, session or fact. */
export const whyNot: Feature = {
  name: "why-not",
  loadService: async () => ({ routes: (await import("./routes.ts")).whyNotRoutes }),
};
