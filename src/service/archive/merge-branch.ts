import { authoriseAgent, authoriseUnbound } from "../../agents/access.ts";
import { AppError } from "../../base/errors.ts";
import { changeBase, type StateRow } from "../../db/agent/archive/branch-base.ts";
import { readFile } from "../../db/agent/files/files.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import { unquoted } from "../../db/agent/space/schema-name.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import { type FileInput, writeChecked } from "../files/write-files.ts";
import { compareStates, type Difference, isConflict } from "./compare-agents.ts";
import {
  commonPast,
  type FactDifference,
  type FileDifference,
  factDifferences,
  fileDifference,
  require,
  stateOf,
} from "./diff-agents.ts";
import { prepareFactMerge } from "./merge-facts.ts";

/** What was merged, or would be. */
interface Merged {
  agentId: string;
  into: string;
  /** False: a dry run. */
  merged: boolean;
  /** What the branch has changed and the other takes. */
  files: FileDifference[];
  facts: FactDifference[];
  /** Of these what both have changed. */
  conflicts: number;
}

interface MergeOptions {
  into: string;
  dryRun?: boolean | undefined;
  /** Whose changes count where both have changed something; without it nothing is merged then. */
  prefer?: "branch" | "target" | undefined;
}

/** All of them are written in one transaction. */
const MAX_MERGED = 5000;
const MAX_NAMED = 100;

/**
 * Merges what a branch has changed in files and facts into the agent that it was made of: all or nothing. Conversations are not merged.
 * Where both have changed something, nothing is merged unless `prefer` says whose change counts.
 *
 * @throws AppError `forbidden`, `agent_not_found`, `branch_not_found`, `merge_conflict`, `file_changed`, `quota_exceeded`,
 *   `payload_too_large`
 */
export async function mergeBranch(
  deps: Deps,
  caller: Caller,
  agentId: string,
  { into, dryRun = false, prefer }: MergeOptions,
): Promise<Merged> {
  authoriseAgent(caller, "tenant", agentId);
  authoriseUnbound(caller, "tenant");
  const branch = await require(deps, caller, agentId);
  const target = await require(deps, caller, into);
  const past = await commonPast(deps, branch, target);
  if (past?.branch.schemaName !== unquoted(branch.schema))
    throw new AppError("branch_not_found", "This agent was not made of the other; a branch is merged into what it was made of.");
  const [mine, theirs] = [await stateOf(deps, branch), await stateOf(deps, target)];
  const changed = compareStates(mine, theirs, past.base).filter((one) => one.here !== "none");
  const conflicts = changed.filter(isConflict);
  const taken = changed.filter((one) => !isConflict(one) || prefer !== "target");
  const described = {
    files: taken.filter((one) => one.kind === "file").map(fileDifference),
    facts: await factDifferences(deps, [branch, target], taken.filter((one) => one.kind === "fact")),
  };
  const answer = { agentId, into, merged: !dryRun, ...described, conflicts: conflicts.length };
  if (dryRun) return answer;
  if (conflicts.length > 0 && prefer === undefined) throw conflict(described);
  if (taken.length > MAX_MERGED)
    throw new AppError("payload_too_large", `A merge changes at most ${MAX_MERGED} files and facts, and this one ${taken.length}.`);
  await apply(deps, caller, { branch, target, taken });
  // What is lost of this by a crash the next merge finds out: both have the same then.
  const all = [...changed, ...settledAlready(mine, theirs, past.base)];
  const settled = new Map(all.map(({ kind, key, mine: hash }) => [`${kind} ${key}`, { kind, key, hash }]));
  await withAgentTransaction(deps.db, branch, (tx) => changeBase(tx, tx.schema, [...settled.values()]));
  return answer;
}

/** What both have alike by now, and what neither has any more. */
function settledAlready(mine: readonly StateRow[], theirs: readonly StateRow[], base: readonly StateRow[]) {
  const byName = (rows: readonly StateRow[]) => new Map(rows.map(({ kind, key, hash }) => [`${kind} ${key}`, hash]));
  const [here, there] = [byName(mine), byName(theirs)];
  return [...mine, ...base].flatMap(({ kind, key }) => {
    const name = `${kind} ${key}`;
    return here.get(name) === there.get(name) ? [{ kind, key, mine: here.get(name) }] : [];
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

interface Merge {
  branch: KnownAgent;
  target: KnownAgent;
  taken: readonly Difference[];
}

/** Writes what is taken in one transaction of the target, if that still has what it was compared with. */
async function apply(deps: Deps, caller: Caller, { branch, target, taken }: Merge): Promise<void> {
  const files = taken.filter((one) => one.kind === "file");
  const facts = taken.filter((one) => one.kind === "fact");
  const put: FileInput[] = [];
  for (const { key: path, mine } of files) if (mine !== undefined) put.push(await readMerged(deps, branch, path));
  const writeFacts = await prepareFactMerge(deps, { branch, target, facts });
  await writeChecked(deps, { ...caller, once: undefined }, target, {
    put,
    delete: files.flatMap(({ key, mine }) => (mine === undefined ? [key] : [])),
    expected: new Map(files.map(({ key, theirs }) => [key, theirs ?? null])),
    also: async (tx, generations) => {
      const { added, conclude } = await writeFacts(tx, generations);
      const { tenantId, agentId } = target;
      const audit = { tenantId, at: deps.clock(), actor: caller.actor, action: "agent.merge", target: agentId };
      const details = { from: branch.agentId, files: files.length, facts: facts.length };
      return {
        added,
        conclude: async (service) => {
          await insertAudit(service, { ...audit, details });
          await conclude(service);
        },
      };
    },
  });
}

async function readMerged(deps: Deps, branch: KnownAgent, path: string): Promise<FileInput> {
  const file = await withAgentReads(deps.db, branch, (tx) => readFile(tx, tx.schema, path));
  if (!file) throw new AppError("file_changed", "The branch has changed while it was merged. Merge it again.");
  return { path, content: file.content, mtime: file.mtime, ...(file.original ? { original: file.original } : {}) };
}
