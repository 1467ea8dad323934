import type { Feature } from "../feature.ts";

/** Sets of questions with the documents that they should find, and runs that measure a search with them. */
export const evaluation: Feature = {
  name: "evaluation",
  loadService: async () => {
    const [{ evaluationRoutes }, { evaluationJob }] = await Promise.all([
      import("./routes.ts"),
      import("./evaluation-job.ts"),
    ]);
    return { routes: evaluationRoutes, jobs: [evaluationJob] };
  },
};
