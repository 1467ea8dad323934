import { AppError } from "../../base/errors.ts";
import { lockOutWriters, readFile } from "../../db/agent/files/files.ts";
import {
  type AgentReads,
  asOtherAgent,
  isGone,
  withAgentReads,
  withAgentTransaction,
} from "../../db/agent/schema/agent-transaction.ts";
import { unquoted } from "../../db/agent/schema/schema-name.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { MemoryMoved, untilUnmoved } from "../../service/facts/rewrite-facts.ts";
import { type FileInput, writeChecked } from "../../service/files/write-files.ts";
import { agentNotFound, authoriseAgent, authoriseUnbound, signatureOf } from "../../settings/access.ts";
import { byName, compareStates, type Difference } from "./compare-agents.ts";
import {
  commonPast,
  type FactDifference,
  type FileDifference,
  factDifferences,
  fileDifference,
  requireAgent,
  stateOf,
} from "./diff-agents.ts";
import { prepareFactMerge } from "./merge-facts.ts";
import { changeBase, type HeldRow, readState, type StateRow } from "./sql/branch-base.ts";

/** The result of a merge or of its dry run. */
interface Merged {
  agentId: string;
  into: string;
  /** False for a dry run. */
  merged: boolean;
  /** The files that the branch has changed and the target takes over. */
  files: FileDifference[];
  facts: FactDifference[];
  /** The number of files and timelines of facts that both agents have changed. */
  conflicts: number;
}

interface MergeOptions {
  into: string;
  dryRun?: boolean | undefined;
  /**
   * The side whose change wins where both have changed something. Without it, a conflict prevents
   * the merge.
   */
  prefer?: "branch" | "target" | undefined;
}

/**
 * The most files and timelines of one merge. The merge is prepared in memory and written in one
 * transaction.
 */
const MAX_MERGED = 5000;
const MAX_BYTES = 64_000_000;
const MAX_NAMED = 100;

/**
 * Merges a branch's changes of files and facts into its origin, all or nothing. Conversations are
 * not merged. Where both agents have changed something, nothing is merged unless `prefer` names the
 * side that wins.
 *
 * @throws AppError `forbidden`, `agent_not_found`, `branch_not_found`, `merge_conflict`,
 *   `quota_exceeded`, `payload_too_large`, `database_busy`
 */
export async function mergeBranch(deps: Deps, caller: Caller, agentId: string, options: MergeOptions): Promise<Merged> {
  authoriseAgent(caller, "tenant", agentId);
  authoriseUnbound(caller, "tenant");
  const branch = await requireAgent(deps, caller, agentId);
  const target = await requireAgent(deps, caller, options.into);
  const merge = () => untilUnmoved(() => mergeOnce(deps, caller, { branch, target }, options));
  return deps.wholeMemories.run(caller.tenantId, merge).catch(async (error: unknown) => {
    throw (await isGone(deps.db, branch, error)) ? agentNotFound() : error;
  });
}

interface Sides {
  branch: KnownAgent;
  target: KnownAgent;
}

async function mergeOnce(
  deps: Deps,
  caller: Caller,
  { branch, target }: Sides,
  { into, dryRun = false, prefer }: MergeOptions,
): Promise<Merged> {
  const past = await commonPast(deps, branch, target);
  if (past?.branch.schemaName !== unquoted(branch.schema))
    throw new AppError(
      "branch_not_found",
      "This agent is not a branch of the other; a branch is merged only into the agent that it was made from.",
    );
  const [mine, theirs] = [await stateOf(deps, branch), await stateOf(deps, target)];
  const changesSince = (now: readonly HeldRow[]) =>
    compareStates(mine, now, past.base).filter(({ here }) => here !== "none");
  const changed = changesSince(theirs);
  const conflicts = changed.filter((one) => one.conflict);
  const taken = changed.filter((one) => !one.conflict || prefer !== "target");
  const facts = taken.filter((one) => one.kind === "fact");
  const described = {
    files: taken.filter((one) => one.kind === "file").map(fileDifference),
    facts: await factDifferences(deps, [branch, target], facts),
  };
  const answer = { agentId: branch.agentId, into, merged: !dryRun, ...described, conflicts: conflicts.length };
  if (dryRun) return answer;
  if (conflicts.length > 0 && prefer === undefined) throw conflict(described);
  if (taken.length > MAX_MERGED) throw tooMuch(`${MAX_MERGED} files and facts, and this one ${taken.length}`);
  const isAsCompared = (now: readonly HeldRow[]) => JSON.stringify(changesSince(now)) === JSON.stringify(changed);
  const settled = [
    ...changed.map(({ kind, key, mine: hash }) => ({ kind, key, hash })),
    ...settledAlready(mine, theirs, past.base),
  ];
  const settle = (tx: AgentReads) => changeBase(tx, branch.schema, settled);
  if (taken.length > 0) await apply(deps, caller, { branch, target, taken, isAsCompared, settle });
  else await withAgentTransaction(deps.db, branch, settle);
  return answer;
}

/**
 * Returns the files and timelines that both agents have changed in the same way since the branch
 * was made or last merged.
 */
function settledAlready(mine: readonly HeldRow[], theirs: readonly HeldRow[], base: readonly StateRow[]) {
  const [here, there, before] = [byName(mine), byName(theirs), byName(base)];
  const names = new Map([...before, ...here]);
  return [...names].flatMap(([name, { kind, key }]) => {
    const hash = here.get(name)?.hash;
    return hash === there.get(name)?.hash && hash !== before.get(name)?.hash ? [{ kind, key, hash }] : [];
  });
}

function conflict({ files, facts }: Pick<Merged, "files" | "facts">): AppError {
  const named = [
    ...files.filter((one) => one.conflict).map((one) => one.path),
    ...facts.filter((one) => one.conflict).map((one) => one.text),
  ];
  const first = named.slice(0, 3).join(", ");
  return new AppError(
    "merge_conflict",
    `Both agents have changed ${named.length} files or facts since the branch was made: ${first}${named.length > 3 ? ", …" : ""}. Nothing was merged; say with \`prefer\` whose changes count.`,
    { details: { conflicts: named.slice(0, MAX_NAMED) } },
  );
}

function tooMuch(what: string): AppError {
  return new AppError(
    "payload_too_large",
    `A merge changes at most ${what}. Write some of the files to the other agent first.`,
  );
}

interface Merge extends Sides {
  taken: readonly Difference[];
  isAsCompared(now: readonly HeldRow[]): boolean;
  /** Records in the branch the state that both agents have in common after the merge. */
  settle(tx: AgentReads): Promise<void>;
}

/**
 * Writes the accepted changes to the target and the new common state to the branch, in one
 * transaction of the target.
 *
 * @throws MemoryMoved when either agent has changed since the comparison
 */
async function apply(
  deps: Deps,
  caller: Caller,
  { branch, target, taken, isAsCompared, settle }: Merge,
): Promise<void> {
  const files = taken.filter((one) => one.kind === "file");
  const facts = taken.filter((one) => one.kind === "fact");
  const by = { ...caller, via: "merge", once: undefined };
  const put = await readTaken(deps, branch, files);
  const write = await prepareFactMerge(deps, { branch, target, facts, by: signatureOf(by) });
  await writeChecked(deps, by, target, {
    put,
    delete: files.flatMap(({ key, mine, theirs }) => (mine === undefined && theirs !== undefined ? [key] : [])),
    alongside: {
      begin: async (tx) => {
        await lockOutWriters(tx, tx.schema);
        if (!isAsCompared(await readState(tx, tx.schema))) throw new MemoryMoved();
        // Records the new common state in this transaction. Otherwise a change that the target
        // makes in between would pass for a part of the merge.
        await asOtherAgent(tx, { own: target, other: branch }, settle);
      },
      write,
      conclude: async (service) => {
        const { tenantId, agentId } = target;
        const audit = { tenantId, at: deps.clock(), actor: caller.actor, action: "agent.merge", target: agentId };
        const details = { from: branch.agentId, files: files.length, facts: facts.length };
        await insertAudit(service, { ...audit, details });
      },
    },
  });
}

/** Reads the branch's texts of the changed files. */
async function readTaken(deps: Deps, branch: KnownAgent, files: readonly Difference[]): Promise<FileInput[]> {
  return withAgentReads(deps.db, branch, async (tx) => {
    const put: FileInput[] = [];
    let bytes = 0;
    for (const { key: path, mine } of files) {
      if (mine === undefined) continue;
      const file = await readFile(tx, tx.schema, path);
      if (file?.hash !== mine) throw new MemoryMoved();
      bytes += file.size;
      if (bytes > MAX_BYTES) throw tooMuch(`${MAX_BYTES} bytes of files`);
      const { content, mtime, original } = file;
      put.push({ path, content, mtime, ...(original ? { original } : {}) });
    }
    return put;
  });
}
