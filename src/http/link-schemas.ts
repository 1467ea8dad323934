import { z } from "@hono/zod-openapi";
import { timestamp } from "../service/core/scalar-schemas.ts";

export const shareTerms = z
  .strictObject({
    folders: z.array(z.string().min(1).max(1024)).max(50).optional().openapi({
      description:
        "Folders of files to offer; without folders, all files and the facts that are for everybody are offered",
    }),
    sessions: z.boolean().optional().openapi({ description: "Offer conversations too; only without folders" }),
  })
  .openapi("ShareTerms", {
    description: "The part of a memory to offer; without folders, all of it but conversations",
  });

export const share = z
  .object({
    agentId: z.string().openapi({ description: "The agent on the other side" }),
    folders: z.array(z.string()).openapi({ description: "Empty: the whole memory" }),
    sessions: z.boolean(),
    offeredAt: z.string(),
    takenAt: z.string().nullable().openapi({ description: "null: the offer is not accepted" }),
  })
  .openapi("Share", { description: "A memory that one agent offers to another" });
export const shareList = z.object({ shares: z.array(share) }).openapi("ShareList");
export const withdrawnShare = z.object({ withdrawn: z.literal(true) }).openapi("WithdrawnShare");
export const leftShare = z.object({ left: z.literal(true) }).openapi("LeftShare");

export const newBranch = z
  .strictObject({
    as: z.string().openapi({ description: "The id of the new agent" }),
    name: z.string().max(200).optional(),
    at: timestamp.optional().openapi({ description: "Copy the memory as it was at this time, an ISO 8601 time" }),
    snapshot: z.string().max(64).optional().openapi({ description: "Copy the memory as it was at this snapshot" }),
  })
  .openapi("BranchInput");

export const branch = z
  .object({
    agentId: z.string(),
    origin: z.string().nullable().openapi({ description: "null: the origin was erased" }),
    state: z.enum(["copying", "ready"]).openapi({ description: "While `copying`, the branch cannot be used yet" }),
    branchedAt: z.string().nullable().openapi({ description: "The moment of the origin that it has" }),
    copied: z.int().openapi({ description: "How many of the `total` rows are copied" }),
    total: z.int(),
  })
  .openapi("Branch", { description: "An agent that is a copy of another agent's memory" });

export const branchList = z
  .object({ branches: z.array(branch) })
  .openapi("BranchList", { description: "The branches of an agent" });

const side = z.enum(["none", "added", "changed", "deleted"]);
const difference = {
  here: side.openapi({
    description:
      "The agent's change since both had the same content; without a common past, its content beside the other's",
  }),
  there: side.openapi({ description: "The other agent's change" }),
  conflict: z.boolean().openapi({ description: "Whether both have changed it" }),
};
const factDifference = z
  .object({ text: z.string(), key: z.string().nullable(), ...difference })
  .openapi("FactDifference");
const differences = {
  files: z.array(z.object({ path: z.string(), ...difference }).openapi("FileDifference")),
  facts: z.array(factDifference).openapi({
    description: "Facts of the same key and scope, or of the same text, are one entry; `text` is the latest fact",
  }),
};

export const agentDiff = z
  .object({
    agentId: z.string(),
    otherId: z.string(),
    since: z
      .string()
      .nullable()
      .openapi({ description: "When one agent was made as a branch of the other; null: neither was" }),
    ...differences,
    counts: z.object({ files: z.int(), facts: z.int() }),
  })
  .openapi("AgentDiff");

export const mergeInput = z
  .strictObject({
    into: z.string().openapi({ description: "The agent that the branch was made of" }),
    dryRun: z.boolean().optional().openapi({ description: "Write nothing; return what would be merged" }),
    prefer: z.enum(["branch", "target"]).optional().openapi({
      description: "The side whose change counts where both have one; default: such a conflict stops the merge",
    }),
  })
  .openapi("MergeInput");

export const mergedBranch = z
  .object({
    agentId: z.string(),
    into: z.string(),
    merged: z.boolean().openapi({ description: "False in a dry run" }),
    ...differences,
    conflicts: z.int(),
  })
  .openapi("MergedBranch");
