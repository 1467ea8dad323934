import { withAgentReads, withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { type Generation, noteSeparation } from "../db/agent/generations.ts";
import { drawEmbedded } from "../db/agent/vectors.ts";
import { addEmbeddingUsage } from "../db/control/embedding-usage.ts";
import type { Embedder, EmbedInputType } from "../embeddings/embedder.ts";
import { type Halves, halvesOf } from "../search/halves-of.ts";
import { type MeasuredSeparation, separationOf } from "../search/sensitivity.ts";
import type { Deps } from "./deps.ts";
import { textToEmbed } from "./direct-chunks.ts";
import { embedderOf } from "./embedder-of.ts";
import { type Asked, usageOf } from "./embedding-usage.ts";
import type { KnownAgent } from "./find-agent.ts";

/** Chunks whose texts are looked at. */
const DRAWN = 256;
/** So many pairs tell a model that reads from one that does not; embedding them takes the built-in model a second. */
const PAIRS_OF_SCRIPT = 64;
const PAIRS = 128;
/** Fewer say less than what is believed without them. */
const LEAST_PAIRS = 8;
/** A provider that takes longer is asked another time. */
const TIMEOUT_MS = 30_000;

/**
 * Measures how well an index's model tells apart what belongs together in it: halves of its own texts that share no word, one
 * embedded as a question and one as a document. Once, and whenever there are twice as many embedded chunks or half as many.
 * A provider that does not answer is asked at the next maintenance.
 */
export async function fitSeparation(
  deps: Deps,
  agent: KnownAgent,
  generation: Generation,
  embedded: number,
): Promise<void> {
  const { id: generationId, dimensions, separationCount } = generation;
  if (dimensions === null || embedded === 0 || !isDue(separationCount ?? 0, embedded)) return;
  const embedder = await embedderOf(deps, generation, agent).catch(() => undefined);
  if (!embedder) return;
  const table = { schema: agent.schema, generationId, dimensions };
  const drawn = await withAgentReads(deps.db, agent, (tx) => drawEmbedded(tx, table, DRAWN));
  const asked: Asked = { requests: 0, texts: 0, tokens: 0 };
  const separation = await measure(embedder, pairsOf(drawn.map(textToEmbed)), asked).catch((error: unknown) => {
    deps.logger.warn({ agentId: agent.agentId, provider: embedder.provider, error }, "separation was not measured");
    return undefined;
  });
  await withAgentTransaction(deps.db, agent, async (tx) => {
    if (separation) await noteSeparation(tx, agent.schema, generationId, { count: embedded, separation });
    if (asked.requests === 0) return;
    await addEmbeddingUsage(await tx.asService(), [usageOf(deps, agent, embedder, { kind: "document", ...asked })]);
  });
}

function isDue(measured: number, embedded: number): boolean {
  return measured === 0 || embedded >= 2 * measured || 2 * embedded <= measured;
}

function pairsOf(texts: readonly string[]): Halves[][] {
  const byScript = new Map<string, Halves[]>();
  let pairs = 0;
  for (const text of texts) {
    const halves = halvesOf(text);
    const others = halves && (byScript.get(halves.script) ?? []);
    if (!others || others.length >= PAIRS_OF_SCRIPT || pairs >= PAIRS) continue;
    byScript.set(halves.script, [...others, halves]);
    pairs++;
  }
  return [...byScript.values()].filter((group) => group.length >= LEAST_PAIRS);
}

async function measure(embedder: Embedder, groups: readonly Halves[][], asked: Asked): Promise<MeasuredSeparation> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const embed = async (texts: readonly string[], inputType: EmbedInputType) => {
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += embedder.maxBatchTexts) {
      const some = texts.slice(from, from + embedder.maxBatchTexts);
      const report = ({ tokens }: { tokens: number }) => {
        asked.requests++;
        asked.tokens += tokens;
      };
      vectors.push(...(await embedder.embed(some, inputType, signal, report)));
      asked.texts += some.length;
    }
    return vectors;
  };
  const measured: Record<string, { pairs: number; sum: number }> = {};
  for (const group of groups) {
    const questions = await embed(
      group.map((pair) => pair.question),
      "query",
    );
    const rests = await embed(
      group.map((pair) => pair.rest),
      "document",
    );
    const [first] = group;
    const separation = separationOf(questions, rests);
    if (first && separation) measured[first.script] = separation;
  }
  return measured;
}
