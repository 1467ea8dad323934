import { AppError } from "../../base/errors.ts";
import type { FactRow } from "../../db/agent/facts/facts.ts";
import type { Fact } from "./fact-schemas.ts";

/** Returns a fact in the form that callers receive. */
export function presentFact(row: FactRow): Fact {
  const { id, text, category, importance, tags, source, decayClass } = row;
  const scope = { user: row.user, agent: row.agent, session: row.session };
  return {
    id,
    text,
    category,
    importance,
    tags: [...tags],
    source,
    decayClass,
    ...(row.subject === null ? {} : { subject: row.subject }),
    ...(row.key === null ? {} : { key: row.key }),
    scope: Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== "")),
    validFrom: row.validFrom.toISOString(),
    ...(row.validTo === null ? {} : { validTo: row.validTo.toISOString() }),
    ...(row.supersededBy === null ? {} : { supersededBy: row.supersededBy }),
    ...(row.endedBy === null ? {} : { endedBy: row.endedBy }),
    ...(row.expiresAt === null ? {} : { expiresAt: row.expiresAt.toISOString() }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    confirmedAt: row.confirmedAt.toISOString(),
  };
}

/** Returns the error for a fact that does not exist; its id is named if the caller gave several. */
export function factNotFound(id?: string): AppError {
  const which = id === undefined ? "no such fact" : `no fact ${id}`;
  return new AppError("fact_not_found", `The agent has ${which}; list or search its facts to see their ids.`);
}

/**
 * Refuses to change a past fact. The test is its end and not its successor, which may have been
 * deleted.
 *
 * @throws AppError `fact_superseded`
 */
export function requireOpen({ id, validTo, supersededBy }: Pick<FactRow, "id" | "validTo" | "supersededBy">): void {
  if (validTo === null) return;
  const remedy =
    supersededBy === null
      ? "has ended; store what holds now as a new fact."
      : `holds no more: fact ${supersededBy} has replaced it. Name that one.`;
  throw new AppError("fact_superseded", `Fact ${id} ${remedy}`, {
    details: { id, ...(supersededBy === null ? {} : { supersededBy }) },
  });
}

/**
 * Returns whether a fact was said again after it was stored. The time when the fact began to hold
 * does not count: an import may store a fact later than that, although the fact was said only once.
 */
export function wasSaidAgain({ createdAt, confirmedAt }: Pick<FactRow, "createdAt" | "confirmedAt">): boolean {
  return confirmedAt > createdAt;
}
