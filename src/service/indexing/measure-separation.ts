import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { drawEmbedded } from "../../db/agent/chunks/vectors.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../../db/agent/schema/generation-tables.ts";
import {
  activeGeneration,
  type MeasuredSeparation,
  noteSeparation,
  type Separation,
} from "../../db/agent/schema/generations.ts";
import type { Embedder, EmbedInputType } from "../../embeddings/embedder.ts";
import { readsScript } from "../../embeddings/model-input.ts";
import { contentHash } from "../../ingest/normalise.ts";
import { sensitivityOf, separationOf } from "../../relevance/ranking/sensitivity.ts";
import { type Halves, splitIntoHalves } from "../../relevance/words/split-into-halves.ts";
import type { Script } from "../../relevance/words/text-language.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { embedderFor, readCachedVectors, unlessNoEmbedder } from "../embedding/embedder-for.ts";
import { createMadeVectors, textToEmbed } from "../embedding/made-vectors.ts";
import type { IndexDeps } from "./index-deps.ts";

/** The number of chunks whose texts are examined. */
const DRAWN = 256;
/**
 * The most pairs of one script. They distinguish a model that reads the script from one that does
 * not.
 */
const PAIRS_OF_SCRIPT = 64;
const PAIRS = 128;
/**
 * The pairs that confirm that a model does not read a script it did not learn. Such texts cost the
 * most, because the model's tokens are single letters there.
 */
const PAIRS_OF_UNREAD_SCRIPT = 16;
/** The fewest pairs of a script that are measured. Fewer say less than the prior. */
const LEAST_PAIRS = 8;
/** The time limit for the provider. After a timeout, the next maintenance asks again. */
const TIMEOUT_MS = 60_000;

/**
 * Measures how well an index's model recognises texts that belong together. Each pair is two halves
 * of a text of the index that share no word, one embedded as a question and one as a document. It
 * measures once, and again when the number of embedded chunks has doubled or halved. If the
 * provider does not answer, the next maintenance asks again.
 */
export async function fitSeparation(deps: IndexDeps, agent: KnownAgent): Promise<void> {
  const generation = await withAgentReads(deps.db, agent, (tx) => activeGeneration(tx, agent.schema));
  if (!generation) return;
  // The maintenance has just counted the embedded chunks, for the deviation of cosines.
  const { id: generationId, dimensions, separationCount, cosineCount } = generation;
  const embedded = cosineCount ?? 0;
  if (dimensions === null || embedded === 0 || !isDue(separationCount ?? 0, embedded)) return;
  const embedder = await embedderFor(deps, generation, agent).catch(unlessNoEmbedder);
  if (!embedder) return;
  const table = vectorTable(agent.schema, generation, dimensions);
  const drawn = await withAgentReads(deps.db, agent, (tx) => drawEmbedded(tx, table, DRAWN));
  const groups = pairsOf(drawn.map(textToEmbed));
  const isRead = (script: Script) => readsScript(generation, script);
  const separation = await separationsOf(groups, isRead, (pairs) => vectorsOf(deps, agent, embedder, pairs));
  if (!separation) return;
  await withAgentTransaction(deps.db, agent, (tx) =>
    noteSeparation(tx, agent.schema, generationId, { count: embedded, separation }),
  );
}

function isDue(measured: number, embedded: number): boolean {
  return measured === 0 || embedded >= 2 * measured || 2 * embedded <= measured;
}

function pairsOf(texts: readonly string[]): Halves[][] {
  const byScript = new Map<string, Halves[]>();
  let pairs = 0;
  for (const text of texts) {
    const halves = splitIntoHalves(text);
    const others = halves && (byScript.get(halves.script) ?? []);
    if (!others || others.length >= PAIRS_OF_SCRIPT || pairs >= PAIRS) continue;
    byScript.set(halves.script, [...others, halves]);
    pairs++;
  }
  return [...byScript.values()].filter((group) => group.length >= LEAST_PAIRS);
}

/**
 * Returns the cache key of a half. A document has the key of a chunk with the same text, as some
 * messages are chunks by themselves. Questions have other keys, because models may embed questions
 * and documents differently.
 */
function keyOf(text: string, inputType: EmbedInputType): string {
  return inputType === "document" ? contentHash(`\n${text}`) : sha256(`query\0${text}`);
}

/**
 * Returns the vectors of the pairs' halves, by `keyOf`. Most come from the cache, since an index
 * that has doubled keeps most of its pairs.
 *
 * @returns undefined if the provider does not answer
 */
async function vectorsOf(
  deps: IndexDeps,
  agent: KnownAgent,
  embedder: Embedder,
  pairs: readonly Halves[],
): Promise<ReadonlyMap<string, Float32Array> | undefined> {
  const wanted: Record<EmbedInputType, Map<string, string>> = {
    query: new Map(pairs.map(({ question }) => [keyOf(question, "query"), question])),
    document: new Map(pairs.map(({ rest }) => [keyOf(rest, "document"), rest])),
  };
  const known = await readCachedVectors(deps, agent, embedder, [...wanted.query.keys(), ...wanted.document.keys()]);
  const made = createMadeVectors(deps, agent, embedder);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    for (const inputType of ["query", "document"] as const) {
      const missing = [...wanted[inputType]].filter(([key]) => !known.has(key));
      for (let from = 0; from < missing.length; from += embedder.maxBatchTexts)
        await made.embed(missing.slice(from, from + embedder.maxBatchTexts), inputType, signal);
    }
  } catch (error) {
    deps.logger.warn(
      { agentId: agent.agentId, provider: embedder.provider, code: error instanceof AppError ? error.code : "aborted" },
      "how well the model tells texts apart was not measured",
    );
    return undefined;
  } finally {
    // The provider has charged for the vectors that it made, so they are counted and cached even if
    // the rest failed.
    if (made.vectors.size > 0)
      await withAgentTransaction(deps.db, agent, async (tx) => made.save(await tx.asService()));
  }
  return new Map([...known, ...made.vectors]);
}

/**
 * Measures each script. If the model is known not to read a script, a few pairs are measured first,
 * and all of them only if the model seems to read it.
 *
 * @returns undefined if the provider does not answer
 */
async function separationsOf(
  groups: readonly Halves[][],
  isRead: (script: Script) => boolean | undefined,
  embed: (pairs: readonly Halves[]) => Promise<ReadonlyMap<string, Float32Array> | undefined>,
): Promise<MeasuredSeparation | undefined> {
  const scriptOfGroup = ([first]: readonly Halves[]) => first?.script;
  const isUnread = (group: readonly Halves[]) => {
    const script = scriptOfGroup(group);
    return script !== undefined && isRead(script) === false;
  };
  const few = groups.map((group) => (isUnread(group) ? group.slice(0, PAIRS_OF_UNREAD_SCRIPT) : group));
  const first = await embed(few.flat());
  if (!first) return undefined;
  const measured = measurePairs(few, first);
  const read = groups.filter((group) => isUnread(group) && sensitivityOf(measured, scriptOfGroup(group), isRead) > 0);
  if (read.length === 0) return measured;
  const rest = await embed(read.flatMap((group) => group.slice(PAIRS_OF_UNREAD_SCRIPT)));
  return rest && { ...measured, ...measurePairs(read, new Map([...first, ...rest])) };
}

function measurePairs(groups: readonly Halves[][], vectors: ReadonlyMap<string, Float32Array>): MeasuredSeparation {
  const measured: Record<string, Separation> = {};
  for (const group of groups) {
    const both = group.flatMap(({ question, rest, script }) => {
      const [one, other] = [vectors.get(keyOf(question, "query")), vectors.get(keyOf(rest, "document"))];
      return one && other ? [{ one, other, script }] : [];
    });
    const [first] = both;
    const separation = separationOf(
      both.map(({ one }) => one),
      both.map(({ other }) => other),
    );
    if (first && separation) measured[first.script] = separation;
  }
  return measured;
}
