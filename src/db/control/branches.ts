import { eq } from "drizzle-orm";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { branches } from "./links-schema.ts";
import { agents } from "./schema.ts";

/** A branch with the agent that it was made of. */
export interface BranchRow {
  schemaName: string;
  originSchema: string;
  /** null: the origin was erased. */
  originId: string | null;
  branchedAt: Date | null;
  /** The moment of the past that it is made of; null: the present. */
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

/** The branch that a schema is; undefined: it is none. */
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

/** Notes how far a branch is copied, or that it is done. */
export async function noteBranch(
  sql: SqlExecutor,
  schemaName: string,
  change: { copied?: number; total?: number; branchedAt?: Date },
): Promise<void> {
  await controlDb(sql).update(branches).set(change).where(eq(branches.schemaName, schemaName));
}
