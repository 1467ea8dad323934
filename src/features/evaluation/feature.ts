import type { Feature } from "../feature.ts";
import { addEval } from "./commands/add-eval.ts";

/**
 * Sets of questions with the documents that they should find, and runs that measure a search with
 * them: in the service, and on a folder of questions (`recollect eval`).
 */
export const evaluation: Feature = {
  name: "evaluation",
  addCommands: addEval,
  loadService: async () => {
    const [{ evaluationRoutes }, { evaluationJob }] = await Promise.all([
      import("./routes.ts"),
      import("./evaluation-job.ts"),
    ]);
    return { routes: evaluationRoutes, jobs: [evaluationJob] };
  },
};
