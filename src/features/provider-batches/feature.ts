import type { Feature } from "../feature.ts";

/** Many chunks as batches of their provider, at half the price and within a day. */
export const providerBatches: Feature = {
  name: "provider-batches",
  loadService: async () => {
    const [{ batchJob }, { chooseChunks }, { planDueBatches }, { withdrawAgentBatches }] = await Promise.all([
      import("./batch-job.ts"),
      import("./choose-chunks.ts"),
      import("./plan-batches.ts"),
      import("./withdraw-batches.ts"),
    ]);
    const hooks = { chooseChunks, planBatches: planDueBatches, beforeErasure: withdrawAgentBatches };
    return { jobs: [batchJob], hooks };
  },
};
