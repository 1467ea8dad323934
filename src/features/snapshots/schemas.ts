import { z } from "@hono/zod-openapi";
import { snapshotName, timestamp } from "../../service/core/scalar-schemas.ts";

const snapshot = z
  .object({
    name: z.string(),
    takenAt: z.string(),
    takenBy: z.string(),
    expiresAt: z.string().nullable().openapi({ description: "When the snapshot is deleted; null: only on request" }),
    files: z.int(),
    bytes: z.int(),
    facts: z.int(),
  })
  .openapi("Snapshot", { description: "A saved state of an agent's files and facts, for rollbacks" });

export const snapshotInput = z
  .strictObject({
    name: snapshotName,
    expiresAt: timestamp.optional().openapi({ description: "When the snapshot is deleted; default: only on request" }),
  })
  .openapi("SnapshotInput");

export const takenSnapshot = snapshot;
export const snapshotList = z.object({ snapshots: z.array(snapshot) }).openapi("SnapshotList");
export const deletedSnapshot = z.object({ deleted: z.string() }).openapi("DeletedSnapshot");

const names = z.array(z.string());
const differences = {
  files: z.object({
    added: names.openapi({ description: "Paths that the snapshot does not have; at most 1,000 of each kind" }),
    changed: names,
    removed: names,
    lost: names.openapi({
      description:
        "Paths that changed since the snapshot and that a rollback does not restore: the former text was forgotten, or the path belongs to a shared memory",
    }),
    total: z.int(),
  }),
  facts: z.object({ added: names, changed: names, removed: names, total: z.int() }),
};

export const difference = z.object(differences).openapi("SnapshotDifference", {
  description: "The differences between the current state and a snapshot: paths of files, and ids of facts",
});
export const rolledBack = z
  .object({
    ...differences,
    undo: z.string().openapi({ description: "A snapshot of the state before the rollback, to undo it" }),
  })
  .openapi("RolledBack");
