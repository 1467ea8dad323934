import { AppError } from "../../base/errors.ts";
import {
  advanceRun,
  createIngestTables,
  type FoundFact,
  hasIngestTables,
  ingestedPieces,
  markIngested,
} from "../../db/agent/facts/ingests.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import type { Extraction } from "../../ingest/ask-for-facts.ts";
import { cutText, type TextPiece } from "../../ingest/cut-text.ts";
import { contentHash } from "../../ingest/normalise.ts";
import type { ChatModel } from "../../models/chat-model.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { StoredFact } from "../../service/facts/fact-schemas.ts";
import { type FactInput, storeFacts } from "../../service/facts/store-facts.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import { extractFileFacts } from "./extract-file-facts.ts";

/** The number of pieces that are sent to the model at the same time. */
const AT_ONCE = 4;
const EXTRACT_TIMEOUT_MS = 60_000;
/**
 * The most characters that a piece repeats of the piece before: a sentence, so that a statement at
 * the end of a piece is read whole in one of the two. Not a setting: the shortest piece has 200
 * characters, so more could exceed half of a piece, and whoever finds statements lost makes pieces
 * longer (`facts.ingest.chunkSize`). Another value would also change the pieces' hashes, so that
 * the model is asked about all files again.
 */
const PIECE_OVERLAP = 100;
/**
 * A part of each piece's hash. A change of the prompt changes it, so that the model is asked about
 * all pieces again.
 */
const PROMPT_VERSION = 1;
/**
 * The number of refusals in a row after which the cause is the model or its key, not the pieces.
 */
export const MAX_REFUSALS = 3;

/** The most characters of a file that is ingested. A longer file does not contain instructions. */
export const MAX_INGEST_CHARS = 200_000;

interface IngestText {
  path: string;
  content: string;
  /** The index of the first piece to ingest. */
  from?: number | undefined;
  dryRun: boolean;
  /** The id of the run that counts the results. */
  runId?: string | undefined;
}

export interface IngestedText {
  pieces: number;
  /** The index of the next piece; undefined after the last one. */
  next: number | undefined;
  /** The number of pieces that a model was asked about before. */
  known: number;
  /** The number of pieces that the model was asked about now. */
  asked: number;
  /** The number of those pieces that the model refused. */
  refused: number;
  stored: number;
  duplicates: number;
  /** The number of entries in the model's answers that were not facts. */
  dropped: number;
  /** The stored facts, or in a dry run the facts that would be stored. */
  facts: FoundFact[];
}

interface Piece extends TextPiece {
  readonly hash: string;
}

/**
 * Turns a file's text into facts, piece by piece. A chat model extracts the facts, and known facts
 * are not stored again. A piece is marked in the transaction that stores its facts. So a second run
 * asks nothing and adds nothing, and an interrupted run continues where it stopped. No transaction
 * is open during a model call.
 *
 * @param signal when it is aborted, pieces in progress are finished and `next` tells where to
 *   continue
 * @throws AppError `model_unavailable`, `model_rejected` when the model refuses every request, and
 *   as `storeFacts`
 */
export async function ingestText(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  { chat, text, signal }: { chat: ChatModel; text: IngestText; signal: AbortSignal },
): Promise<IngestedText> {
  await makeTables(deps, agent);
  const { chunkSize: chars } = agent.settings.facts.ingest;
  const pieces = cutText(text.content, { chars, overlap: PIECE_OVERLAP }).map((piece) => ({
    ...piece,
    hash: pieceHash(chat, piece),
  }));
  const marks = await withAgentTransaction(deps.db, agent, (tx) =>
    ingestedPieces(
      tx,
      agent.schema,
      pieces.map((piece) => piece.hash),
    ),
  );
  const counts = { known: 0, asked: 0, refused: 0, stored: 0, duplicates: 0, dropped: 0 };
  const done: IngestedText = { pieces: pieces.length, next: undefined, ...counts, facts: [] };
  const from = text.from ?? 0;
  // Excludes pieces that this run has marked itself, so that a run that continues in the middle of
  // a file counts each known piece once.
  const rest = pieces.slice(from);
  done.known = rest.filter(({ hash }) => marks.has(hash) && marks.get(hash) !== (text.runId ?? "")).length;
  const fresh = rest.filter(
    ({ hash }, index) => !marks.has(hash) && rest.findIndex((one) => one.hash === hash) === index,
  );
  let refusals = 0;
  for (let at = 0; at < fresh.length; at += AT_ONCE) {
    if (signal.aborted && at > 0) {
      done.next = pieces.indexOf(fresh[at] as Piece);
      return done;
    }
    const batch = fresh.slice(at, at + AT_ONCE);
    const answers = await Promise.all(batch.map((piece) => ask(chat, piece)));
    for (const [index, answer] of answers.entries()) {
      if (answer instanceof AppError) continue;
      await keep(deps, caller, agent, { text, piece: batch[index] as Piece, answer, done });
    }
    const failures = answers.filter((answer) => answer instanceof AppError);
    const outage = failures.find(({ code }) => code !== "model_rejected");
    refusals = failures.length === batch.length ? refusals + failures.length : 0;
    if (outage ?? refusals >= MAX_REFUSALS) throw outage ?? failures[0];
    done.asked += batch.length;
    done.refused += failures.length;
  }
  return done;
}

/** Returns a piece's hash. It includes the model, because another model may find more facts. */
function pieceHash({ provider, model }: ChatModel, { text }: TextPiece): string {
  return contentHash(`${PROMPT_VERSION}\n${provider}/${model}\n${text}`);
}

/**
 * @returns an error instead of throwing it, so that the answers for the other pieces of the batch
 *   are kept
 */
async function ask(
  chat: ChatModel,
  piece: Piece,
): Promise<Extraction<{ text: string; importance: number }> | AppError> {
  const deadline = AbortSignal.timeout(EXTRACT_TIMEOUT_MS);
  try {
    return await extractFileFacts(chat, piece.text, deadline);
  } catch (error) {
    if (error instanceof AppError) return error;
    if (!deadline.aborted) throw error;
    return new AppError("model_unavailable", `The chat model took longer than ${EXTRACT_TIMEOUT_MS} ms.`);
  }
}

/**
 * Stores the facts of a piece with its mark and the run's counts. A dry run only collects the
 * facts.
 */
async function keep(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  given: {
    text: IngestText;
    piece: Piece;
    answer: Extraction<{ text: string; importance: number }>;
    done: IngestedText;
  },
): Promise<void> {
  const { text, piece, answer, done } = given;
  const { path, runId, dryRun } = text;
  const found = answer.facts.map((fact) => ({ path, startLine: piece.startLine, ...fact }));
  done.dropped += answer.dropped;
  if (dryRun) {
    done.facts.push(...found);
    return;
  }
  const mark = async (tx: AgentTransaction, results: readonly StoredFact[]) => {
    if (!(await markIngested(tx, agent.schema, piece.hash, runId))) throw new AlreadyIngested();
    const stored = results.filter((one) => one.status === "stored").length;
    const counts = { piecesDone: 1, stored, duplicates: results.length - stored, dropped: answer.dropped };
    if (runId !== undefined) await advanceRun(tx, agent.schema, runId, counts);
  };
  const inputs = answer.facts.map((fact) => toFact(fact, path, piece));
  const results = await store(deps, caller, agent, inputs, mark);
  if (results === "already ingested") {
    done.known++;
    return;
  }
  for (const [index, { status }] of results.entries()) {
    if (status === "stored") done.facts.push(...found.slice(index, index + 1));
    done[status === "stored" ? "stored" : "duplicates"]++;
  }
}

/**
 * Rolls back the transaction of a piece that another run has marked meanwhile. Comparing the facts
 * would not find the duplicates, because a model's answers differ each time.
 */
class AlreadyIngested extends Error {}

async function store(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  inputs: readonly FactInput[],
  mark: (tx: AgentTransaction, results: readonly StoredFact[]) => Promise<void>,
): Promise<StoredFact[] | "already ingested"> {
  try {
    const results = await storeFacts(deps, caller, agent, inputs, { alongside: mark });
    if (inputs.length === 0) await withAgentTransaction(deps.db, agent, (tx) => mark(tx, []));
    return results;
  } catch (error) {
    if (error instanceof AlreadyIngested) return "already ingested";
    throw error;
  }
}

function toFact(fact: { text: string; importance: number }, path: string, { startLine, endLine }: Piece): FactInput {
  const source = { kind: "file" as const, path, startLine, endLine };
  return { ...fact, category: "technical", decayClass: "stable", tags: ["ingest"], source };
}

/** Creates the tables of ingests at the agent's first ingest. */
export async function makeTables(deps: FileDeps, agent: KnownAgent): Promise<void> {
  if (await withAgentTransaction(deps.db, agent, (tx) => hasIngestTables(tx, agent.schema))) return;
  await deps.db.transaction(async (tx) => {
    await lockAgentSchema(tx, agent);
    await createIngestTables(tx, agent.schema, agent.role);
  });
}
