import { z } from "@hono/zod-openapi";
import { timestamp } from "../service/core/scalar-schemas.ts";

/** The parts of a memory that are offered. */
export const shareTerms = z
  .strictObject({
    folders: z.array(z.string().min(1).max(1024)).max(50).optional().openapi({
      description: "Folders of files; without them all is offered: files, and facts that are for everybody",
    }),
    sessions: z.boolean().optional().openapi({ description: "Conversations too; only with all of the memory" }),
  })
  .openapi("ShareTerms");

/** A memory that one agent offers to another. */
export const share = z
  .object({
    agentId: z.string().openapi({ description: "The agent on the other side" }),
    folders: z.array(z.string()).openapi({ description: "Empty: all of the memory" }),
    sessions: z.boolean(),
    offeredAt: z.string(),
    takenAt: z.string().nullable().openapi({ description: "null: offered, and not read" }),
  })
  .openapi("Share");
export const shareList = z.object({ shares: z.array(share) }).openapi("ShareList");
export const withdrawnShare = z.object({ withdrawn: z.literal(true) }).openapi("WithdrawnShare");
export const leftShare = z.object({ left: z.literal(true) }).openapi("LeftShare");

export const newBranch = z
  .strictObject({
    as: z.string().openapi({ description: "The id of the new agent" }),
    name: z.string().max(200).optional(),
    at: timestamp.optional().openapi({ description: "As of that time, as an ISO 8601 time" }),
    snapshot: z.string().max(64).optional().openapi({ description: "As of that snapshot" }),
  })
  .openapi("BranchInput");

/** An agent that was made of another's memory. */
export const branch = z
  .object({
    agentId: z.string(),
    origin: z.string().nullable().openapi({ description: "null: it was erased" }),
    state: z.enum(["copying", "ready"]),
    branchedAt: z.string().nullable().openapi({ description: "The moment of the origin that it has" }),
    copied: z.int().openapi({ description: "How many of the `total` rows are copied" }),
    total: z.int(),
  })
  .openapi("Branch");

const difference = {
  here: z.enum(["none", "added", "changed", "deleted"]).openapi({ description: "What the agent has done" }),
  there: z.enum(["none", "added", "changed", "deleted"]).openapi({ description: "What the other has done" }),
  conflict: z.boolean(),
};
const differences = {
  files: z.array(z.object({ path: z.string(), ...difference })),
  facts: z
    .array(z.object({ text: z.string(), key: z.string().nullable(), ...difference }))
    .openapi({ description: "Of one key and scope, or of one text; the text is what was learnt last" }),
};

/** The differences between two agents. */
export const agentDiff = z
  .object({
    agentId: z.string(),
    otherId: z.string(),
    since: z.string().nullable().openapi({ description: "When the one was made of the other; null: it was not" }),
    ...differences,
    counts: z.object({ files: z.int(), facts: z.int() }),
  })
  .openapi("AgentDiff");

export const mergeInput = z
  .strictObject({
    into: z.string().openapi({ description: "The agent that the branch was made of" }),
    dryRun: z.boolean().optional().openapi({ description: "Write nothing; return what would be merged" }),
    prefer: z.enum(["branch", "target"]).optional().openapi({ description: "Whose change counts where both have one" }),
  })
  .openapi("MergeInput");

export const mergedBranch = z
  .object({ agentId: z.string(), into: z.string(), merged: z.boolean(), ...differences, conflicts: z.int() })
  .openapi("MergedBranch");
