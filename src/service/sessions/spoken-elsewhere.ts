import { countOf } from "../../base/text/count-of.ts";
import type { Person } from "../../db/agent/facts/person.ts";
import { foldedSubject } from "../../db/agent/facts/subject.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { spokenInBy } from "../../db/agent/sessions/speakers.ts";
import { holds } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";

/** The conversations in which a person speaks and that are not his as a user. */
export interface SpokenElsewhere {
  sessions: number;
  /** Whether all conversations were looked into; otherwise there may be more. */
  complete: boolean;
  /** Some of the conversations, with the user of their scope. */
  named: { session: string; user?: string }[];
}

/** The most conversations that are looked into, and the most that are named. */
const MAX_LOOKED_INTO = 1000;
const MAX_NAMED = 20;

/**
 * Returns the conversations of others, or without a user, in which a person speaks by the names of
 * messages; undefined if there are none. A caller that may not read learns only their number.
 */
export async function spokenElsewhere(
  tx: AgentReads,
  caller: Caller,
  { folded, users }: Person,
): Promise<SpokenElsewhere | undefined> {
  const { sessions, complete } = await spokenInBy(
    tx,
    tx.schema,
    { name: folded, fold: foldedSubject },
    { except: users, most: MAX_LOOKED_INTO },
  );
  if (sessions.length === 0 && complete) return undefined;
  const shown = holds(caller, "search") ? sessions.slice(0, MAX_NAMED) : [];
  const named = shown.map(({ key, scopeUser }) => ({ session: key, ...(scopeUser !== "" && { user: scopeUser }) }));
  return { sessions: sessions.length, complete, named };
}

/** Returns the sentence about them. */
export function noteOfSpoken({ sessions, complete }: SpokenElsewhere): string {
  const count = `${complete ? "" : "at least "}${countOf(sessions, "conversation")}`;
  return `The person also speaks in ${count} of other users, or without a user, which this call does not delete: delete the conversations, or forget their user.`;
}
