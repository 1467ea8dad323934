import { randomUUID } from "node:crypto";
import { matchesGlob } from "node:path";
import { createYielder } from "../../base/cooperative-yield.ts";
import { AppError } from "../../base/errors.ts";
import {
  advanceRun,
  endRun,
  type IngestRun,
  listPaths,
  readRun,
  replaceRun,
  setFilesTotal,
} from "../../db/agent/facts/ingests.ts";
import { readFile } from "../../db/agent/files/files.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import type { ChatModel } from "../../models/chat-model.ts";
import { type AgentPayload, type JobContract, OF_AGENT } from "../../queue/job-contracts.ts";
import { findOrCreateAgent } from "../../service/agent/create-agent.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import { checkMemoryPath, isGlob } from "../../settings/memory-path.ts";
import { refuseSharedPlace } from "../../settings/shared-paths.ts";
import { type IngestedText, ingestText, MAX_INGEST_CHARS, MAX_REFUSALS, makeTables } from "./ingest-text.ts";

/** Extracts facts from an agent's files, as the agent's ingest run says. */
export const INGEST_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "ingest-facts",
};

/** The progress of an ingest. `none`: the agent has never had one. */
export type IngestStatus =
  | { state: "none" }
  | (Omit<IngestRun, "id" | "afterPath" | "startedAt" | "endedAt"> & { startedAt: string; endedAt: string | null });

/** The time for which one request works on a text. */
const SENT_TURN_MS = 20_000;
const MAX_PATTERNS = 20;
const PAGE_PATHS = 1000;
/** The most facts of a dry run that are kept for display. */
const MAX_FOUND = 500;
/** The time for which one job works on one agent before it yields to other jobs. */
const TURN_MS = 30_000;

/**
 * Starts a background run that turns the agent's files that match the globs into facts. Replaces a
 * run in progress.
 *
 * @param input.paths default: `facts.ingest.paths` of the agent's settings
 * @throws AppError `invalid_request`, `model_unavailable` when the operator has set up no chat
 *   model, and as `findOrCreateAgent`
 */
export async function startIngest(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { paths, dryRun = false }: { paths?: readonly string[] | undefined; dryRun?: boolean | undefined },
): Promise<IngestStatus> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const wanted = paths ?? agent.settings.facts.ingest.paths;
  if (wanted.length === 0 || wanted.length > MAX_PATTERNS || !wanted.every(isGlob))
    throw new AppError(
      "invalid_request",
      "Give 1 to 20 relative globs such as **/*.md, with at most three '*' in a segment.",
    );
  chatOf(deps, agent);
  await makeTables(deps, agent);
  await withAgentTransaction(deps.db, agent, async (tx) => {
    await replaceRun(tx, agent.schema, { id: randomUUID(), paths: wanted, dryRun, now: deps.clock() });
    await deps.queue.send(await tx.asService(), INGEST_JOB, { tenantId: agent.tenantId, agentId });
  });
  return statusOf(deps, agent);
}

/** @throws AppError `agent_not_found` */
export async function readIngest(deps: FileDeps, caller: Caller, agentId: string): Promise<IngestStatus> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  return agent ? statusOf(deps, agent) : { state: "none" };
}

async function statusOf(deps: FileDeps, agent: KnownAgent): Promise<IngestStatus> {
  const run = await withAgentTransaction(deps.db, agent, (tx) => readRun(tx, agent.schema));
  if (!run) return { state: "none" };
  const { id: _, afterPath: __, startedAt, endedAt, ...shown } = run;
  return { ...shown, startedAt: startedAt.toISOString(), endedAt: endedAt?.toISOString() ?? null };
}

/**
 * Ingests one text that the caller sends, as far as time allows. `next` in the answer tells where
 * to continue.
 *
 * @throws as `startIngest` and `ingestText`
 */
export async function ingestSent(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  text: { path: string; content: string; from?: number | undefined; dryRun?: boolean | undefined },
): Promise<IngestedText> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const path = checkMemoryPath(text.path);
  // The facts name this path as their source.
  refuseSharedPlace(path);
  const signal = AbortSignal.timeout(SENT_TURN_MS);
  const chat = chatOf(deps, agent);
  const given = { ...text, path, dryRun: text.dryRun ?? false };
  const done = await ingestText(deps, caller, agent, { chat, text: given, signal });
  if (done.refused > 0 && done.refused === done.asked) throw refusedAll();
  return done;
}

function refusedAll(): AppError {
  return new AppError("model_rejected", "The chat model refused every request. Check its key and its name.");
}

/** @throws AppError `model_unavailable` */
function chatOf(deps: FileDeps, agent: KnownAgent): ChatModel {
  try {
    return deps.models.chat(agent.settings.facts.ingest.model);
  } catch (error) {
    // A missing chat model is not a configuration error: everything else works without one.
    if (error instanceof AppError && error.code === "config_invalid")
      throw new AppError("model_unavailable", error.message);
    throw error;
  }
}

/**
 * Runs the ingest job: continues the agent's run, file by file, until the run is done or the job's
 * time is up. The result of each file and piece is committed, so that the next job continues where
 * a killed job stopped.
 *
 * @param signal aborted when the process stops; the remaining work is then enqueued as a new job
 * @throws AppError `model_unavailable`, after which the queue retries the job
 */
export async function ingestFiles(deps: FileDeps, caller: Caller, agentId: string, signal: AbortSignal): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  const run = agent && (await withAgentTransaction(deps.db, agent, (tx) => readRun(tx, agent.schema)));
  if (!agent || run?.state !== "running") return;
  const turn = AbortSignal.any([signal, AbortSignal.timeout(TURN_MS)]);
  try {
    const chat = chatOf(deps, agent);
    const ended = await work(deps, caller, agent, { run, chat, turn, stopping: signal });
    const payload = { tenantId: agent.tenantId, agentId };
    if (ended === "unfinished")
      return deps.queue.send(deps.db, INGEST_JOB, payload, signal.aborted ? undefined : "after others");
    if (ended === "done") await end(deps, agent, run, null);
  } catch (error) {
    // A later attempt helps only against an outage.
    if (!(error instanceof AppError) || error.code === "model_unavailable" || error.code.startsWith("database_"))
      throw error;
    await end(deps, agent, run, { code: error.code, message: error.message });
  }
}

function end(deps: FileDeps, agent: KnownAgent, run: IngestRun, error: IngestRun["error"]): Promise<void> {
  return withAgentTransaction(deps.db, agent, (tx) => endRun(tx, agent.schema, run.id, { error, now: deps.clock() }));
}

interface Work {
  readonly run: IngestRun;
  readonly chat: ChatModel;
  /** Aborted when the job's time is up or the process stops. */
  readonly turn: AbortSignal;
  readonly stopping: AbortSignal;
}

async function work(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  { run, chat, turn, stopping }: Work,
): Promise<"done" | "unfinished" | "replaced"> {
  const files = await matching(deps, agent, run.paths, run.afterPath);
  if (run.filesTotal === null)
    await withAgentTransaction(deps.db, agent, (tx) => setFilesTotal(tx, agent.schema, run.id, files.length));
  let room = MAX_FOUND - run.found.length;
  const asked = { refused: 0, answered: 0 };
  for (const path of files) {
    // A dry run records no progress within a file, so it must finish the file.
    const signal = run.dryRun ? stopping : turn;
    const result = await ingestStored(deps, caller, agent, { path, run, chat }, signal);
    if (result.next !== undefined) return "unfinished";
    asked.refused += result.refused;
    asked.answered += result.asked - result.refused;
    if (asked.answered === 0 && asked.refused >= MAX_REFUSALS) throw refusedAll();
    const step = stepOf(run, path, result, room);
    room -= step.found.length;
    const isOurs = await withAgentTransaction(deps.db, agent, (tx) => advanceRun(tx, agent.schema, run.id, step));
    if (!isOurs) return "replaced";
    if (turn.aborted || (await deps.queue.othersWait(INGEST_JOB))) return "unfinished";
  }
  if (asked.answered === 0 && asked.refused > 0) throw refusedAll();
  return "done";
}

/**
 * Returns the progress of a run after one more file. Stored facts are not included: each piece has
 * counted them already.
 */
function stepOf({ dryRun }: IngestRun, path: string, result: StoredText, room: number) {
  const step = { afterPath: path, filesDone: 1, filesSkipped: result.isRead ? 0 : 1 };
  const counts = { piecesKnown: result.known, piecesRefused: result.refused };
  if (!dryRun) return { ...step, ...counts, found: [] };
  const shown = { piecesDone: result.asked - result.refused, dropped: result.dropped };
  return { ...step, ...counts, ...shown, found: result.facts.slice(0, Math.max(0, room)) };
}

type StoredText = IngestedText & { isRead: boolean };

async function ingestStored(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  { path, run, chat }: { path: string; run: IngestRun; chat: ChatModel },
  signal: AbortSignal,
): Promise<StoredText> {
  const file = await withAgentTransaction(deps.db, agent, (tx) => readFile(tx, agent.schema, path));
  const isRead = file !== undefined && file.content.length <= MAX_INGEST_CHARS;
  const text = { path, content: isRead ? file.content : "", dryRun: run.dryRun, runId: run.id };
  return { isRead, ...(await ingestText(deps, caller, agent, { chat, text, signal })) };
}

/** Returns the matching paths after `from`, in the database's order. */
async function matching(deps: FileDeps, agent: KnownAgent, globs: readonly string[], from: string): Promise<string[]> {
  const found: string[] = [];
  const breathe = createYielder(1);
  for (let after = from; ; ) {
    const page = await withAgentTransaction(deps.db, agent, (tx) => listPaths(tx, agent.schema, after, PAGE_PATHS));
    for (const path of page) {
      if (await matchesAny(path, globs, breathe)) found.push(path);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_PATHS) return found;
    after = last;
  }
}

/**
 * Tests a path against globs, and yields between them: a glob with three wildcards takes up to
 * seven milliseconds for a name of 250 letters, and there may be twenty globs.
 */
async function matchesAny(path: string, globs: readonly string[], breathe: () => Promise<void>): Promise<boolean> {
  for (const glob of globs) {
    if (matchesGlob(path, glob)) return true;
    await breathe();
  }
  return false;
}
