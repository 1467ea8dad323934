/** A stored fact, as far as the placement of new ones needs it. */
export interface KnownFact {
  readonly id: string;
  readonly textHash: string;
  readonly key: string | null;
  /** Equal for facts of one scope. */
  readonly scope: string;
  readonly validFrom: Date;
  readonly validTo: Date | null;
  readonly expiresAt: Date | null;
}

export interface NewFact {
  readonly textHash: string;
  readonly key: string | null;
  readonly scope: string;
  readonly validFrom: Date;
  readonly expiresAt: Date | null;
  /** Ids of facts that it supersedes, whatever their text. */
  readonly supersedes: readonly string[];
  /** Ids of facts that say the same in other words. */
  readonly restates: readonly string[];
}

export type End = "key" | "supersede" | "update";

/** A compared fact: stored, or new. */
interface PlacedFact extends Omit<KnownFact, "id" | "validTo" | "expiresAt"> {
  /** Of a stored fact. */
  readonly id?: string;
  /** Of a new one: its place among those given. */
  readonly index?: number;
  validTo: Date | null;
  /** The latest expiry of the facts that said the same. */
  expiresAt: Date | null;
  /** Set when this plan ended it. */
  ended?: { by: PlacedFact; how: End };
}

/** The placement of a new fact, with the facts that it ends. */
export interface Placement {
  status: "stored" | "duplicate";
  /** The new fact, or the one that says the same already. */
  fact: PlacedFact;
  ends: PlacedFact[];
}

/**
 * Places new facts among those of their scopes, one after the other. A fact that holds already, in the same or nearly the
 * same words, is a duplicate, and lasts as long as the longer of the two. Under a key it must also have that key and the
 * same words. The facts of one key and scope form a timeline: each holds until the next begins, also when the older one is
 * learned later. A fact without a key gives way to a new one with a key that says the same, so that the key's next value
 * ends it.
 *
 * @param update whether texts are replaced rather than facts
 */
export function planFacts(
  known: readonly KnownFact[],
  given: readonly NewFact[],
  { now, update = false }: { now: Date; update?: boolean },
): { placements: Placement[]; facts: PlacedFact[] } {
  const facts: PlacedFact[] = known.map((fact) => ({ ...fact }));
  const placements = given.map((fact, index) => {
    const placement = place(facts, fact, index, now);
    for (const replaced of facts.filter((one) => one.id !== undefined && fact.supersedes.includes(one.id))) {
      if (replaced === placement.fact || replaced.ended) continue;
      end(placement, replaced, fact.validFrom, update ? "update" : "supersede");
    }
    return placement;
  });
  return { placements, facts };
}

function place(facts: PlacedFact[], fact: NewFact, index: number, now: Date): Placement {
  const { textHash, key, scope, validFrom, expiresAt, supersedes } = fact;
  const others = facts.filter((one) => one.scope === scope);
  const same = others.filter(
    (one) =>
      (one.textHash === textHash || isNamed(one, fact.restates)) &&
      !isNamed(one, supersedes) &&
      holds(one, validFrom, now),
  );
  const timeline = others
    .filter((one) => key !== null && one.key === key)
    .sort((a, b) => a.validFrom.getTime() - b.validFrom.getTime());
  const next = timeline.find((one) => one.validFrom > validFrom);
  const isDuplicate = (one: PlacedFact) =>
    key === null ||
    // Embeddings hardly distinguish "tea over coffee" from "coffee over tea", and under a key nothing is lost by storing
    // both. A value that returned after another one does not say that it held before.
    (one.key === key && one.textHash === textHash && (one.validFrom <= validFrom || one === next));
  const duplicate = same.find(isDuplicate);
  if (duplicate) {
    duplicate.expiresAt = later(duplicate.expiresAt, expiresAt);
    return { status: "duplicate", fact: duplicate, ends: [] };
  }
  const placed: PlacedFact = { index, textHash, key, scope, validFrom, validTo: null, expiresAt };
  const placement: Placement = { status: "stored", fact: placed, ends: [] };
  if (key !== null) {
    const previous = timeline.findLast((one) => one.validFrom <= validFrom);
    const isOpen = previous && (previous.validTo === null || previous.validTo > validFrom);
    if (isOpen && !isNamed(previous, supersedes)) end(placement, previous, validFrom, "key");
    if (next) {
      placed.validTo = next.validFrom;
      placed.ended = { by: next, how: "key" };
    } else for (const one of same) if (one.key === null) end(placement, one, validFrom, "key");
  }
  facts.push(placed);
  return placement;
}

function isNamed(fact: PlacedFact, ids: readonly string[]): boolean {
  return fact.id !== undefined && ids.includes(fact.id);
}

/** Null is later than every time. */
function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}

/** Whether a fact holds at a moment, or has begun to hold since. */
function holds(fact: PlacedFact, at: Date, now: Date): boolean {
  const isOpen = (fact.validTo === null || fact.validTo > at) && (fact.expiresAt === null || fact.expiresAt > now);
  return isOpen && (fact.validFrom <= at || fact.validFrom <= now);
}

/** A fact never ends before it began. */
function end({ fact, ends }: Placement, old: PlacedFact, at: Date, how: End): void {
  old.validTo = at < old.validFrom ? old.validFrom : at;
  old.ended = { by: fact, how };
  ends.push(old);
}
