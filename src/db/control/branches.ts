import { and, desc, eq, ne } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { branches } from "./links-schema.ts";
import { agents } from "./schema.ts";

/** A branch, with the agent that it was copied from. */
export interface BranchRow {
  schemaName: string;
  originSchema: string;
  /** The id of the origin; null: the origin was erased. */
  originId: string | null;
  branchedAt: Date | null;
  /** The past moment whose state the branch has; null: the present. */
  pastAt: Date | null;
  snapshot: string | null;
  copied: number;
  total: number;
}

export async function insertBranch(
  sql: SqlExecutor,
  branch: Pick<BranchRow, "schemaName" | "originSchema" | "pastAt" | "snapshot">,
): Promise<void> {
  await controlDb(sql).insert(branches).values(branch);
}

/** Reads the branch with this schema; undefined: the schema is not a branch. */
export async function findBranch(sql: SqlExecutor, schemaName: string): Promise<BranchRow | undefined> {
  const { originSchema, branchedAt, pastAt, snapshot, copied, total } = branches;
  const rows = await controlDb(sql)
    .select({
      schemaName: branches.schemaName,
      originSchema,
      originId: agents.id,
      branchedAt,
      pastAt,
      snapshot,
      copied,
      total,
    })
    .from(branches)
    .leftJoin(agents, eq(agents.schemaName, originSchema))
    .where(eq(branches.schemaName, schemaName));
  return rows[0];
}

/** Reads the branches that were copied from the agent with this schema, the newest first, as `findBranch` does. */
export async function branchesOf(
  sql: SqlExecutor,
  originSchema: string,
  limit: number,
): Promise<(Pick<BranchRow, "branchedAt" | "copied" | "total"> & { id: string; status: string })[]> {
  const { branchedAt, copied, total } = branches;
  return controlDb(sql)
    .select({ id: agents.id, status: agents.status, branchedAt, copied, total })
    .from(branches)
    .innerJoin(agents, eq(agents.schemaName, branches.schemaName))
    .where(and(eq(branches.originSchema, originSchema), ne(agents.status, "erasing")))
    .orderBy(desc(agents.createdAt), agents.id)
    .limit(limit);
}

/** Records how much of a branch has been copied, or that it is complete. */
export async function noteBranch(
  sql: SqlExecutor,
  schemaName: string,
  change: { copied?: number; total?: number; branchedAt?: Date },
): Promise<void> {
  await controlDb(sql).update(branches).set(change).where(eq(branches.schemaName, schemaName));
}
