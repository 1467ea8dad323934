import type { CandidateRow } from "../../db/agent/candidates/candidate-details.ts";
import type { ChunkHit } from "../../db/agent/chunks/chunks.ts";
import { isFiltered } from "../../db/agent/chunks/search-filter.ts";
import { successorsOf } from "../../db/agent/facts/successors.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { includesFacts } from "../../db/agent/schema/source-number.ts";
import { sourceNames } from "../facts/source-names.ts";
import type { SearchPlan } from "./search-arms.ts";

/** The facts that replaced what texts say. */
export interface Successors {
  /** The texts that each fact replaced, by the fact's chunk. */
  readonly endedBy: ReadonlyMap<string, readonly string[]>;
  /** Whether time alone may change them: a fact begins, ends or expires. */
  readonly isTimed: boolean;
}

export const NO_SUCCESSORS: Successors = { endedBy: new Map(), isTimed: false };

/**
 * Finds the facts that replaced what was captured from the conversations and files of some candidates. "The physio
 * appointment moved to 17 December" is no candidate of "What do I have on 10 December?", and the appointment before is one.
 * A search of some days, paths or sources, and a search of another agent's memory, find only what they ask for.
 */
export async function readSuccessors(
  tx: AgentReads,
  { agent, generation, sources, visibleFacts, filter, reader }: SearchPlan,
  candidates: readonly { readonly chunkId: string }[],
  details: ReadonlyMap<string, CandidateRow>,
): Promise<Successors> {
  const isNarrow = reader !== undefined || isFiltered({ ...filter, believed: undefined });
  if (isNarrow || !agent.facts || !includesFacts(sources)) return NO_SUCCESSORS;
  const paths = new Set(candidates.flatMap(({ chunkId }) => pathOfText(details.get(chunkId))));
  if (paths.size === 0) return NO_SUCCESSORS;
  const names = [...paths].flatMap((path) => sourceNames(agent.agentId, path));
  const index = { schema: agent.schema, generationId: generation.id };
  const found = await successorsOf(tx, index, names, visibleFacts);
  const held = Map.groupBy(
    found.filter(({ holds }) => holds),
    ({ chunkId }) => chunkId,
  );
  const endedBy = new Map([...held].map(([id, all]) => [id, all.map(({ ended }) => ended)]));
  return { endedBy, isTimed: found.some((one) => one.isTimed) };
}

function pathOfText(row: CandidateRow | undefined): string[] {
  return row && !row.standing ? [row.path] : [];
}

/** Adds to the chunk of a fact the texts of earlier facts that it replaced, also through others. */
export function withEnded(chunk: ChunkHit, { endedBy }: Successors): ChunkHit {
  const ended = endedBy.get(chunk.id);
  const { fact } = chunk;
  return ended && fact ? { ...chunk, fact: { ...fact, former: [...fact.former, ...ended] } } : chunk;
}
