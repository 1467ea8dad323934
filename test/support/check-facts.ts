import type { AgentView } from "./check-agent.ts";

export interface FactRow {
  id: string;
  text: string;
  size_bytes: number;
  valid_from: Date;
  valid_to: Date | null;
  superseded_by: string | null;
  /** The key under which only one fact may hold at a time; null if the fact has no key. */
  slot: string | null;
}

/**
 * Checks that a fact has one chunk, which holds its text. Also checks that each fact of a key and
 * scope holds until the next one begins.
 */
export function checkFacts({ facts, chunks }: AgentView): string[] {
  const stored = Map.groupBy(chunks, (chunk) => chunk.fact_id);
  const whole = facts.flatMap(({ id, text, size_bytes, valid_to, superseded_by }) => [
    ...(JSON.stringify(stored.get(id)?.map((chunk) => chunk.text)) === JSON.stringify([text])
      ? []
      : [`fact ${id}: has not its text for its one chunk`]),
    ...(size_bytes === Buffer.byteLength(text) ? [] : [`fact ${id}: the size is not its text's`]),
    ...(superseded_by === null || valid_to !== null ? [] : [`fact ${id}: is superseded and holds`]),
  ]);
  const bySlot = Map.groupBy(
    facts.filter((fact) => fact.slot !== null),
    (fact) => fact.slot,
  );
  const overlapping = [...bySlot.values()].flatMap((line) =>
    line.flatMap(({ id, valid_to }, index) => {
      const next = line[index + 1];
      return next && (valid_to === null || valid_to > next.valid_from)
        ? [`fact ${id}: holds beside fact ${next.id}`]
        : [];
    }),
  );
  return [...whole, ...overlapping];
}
