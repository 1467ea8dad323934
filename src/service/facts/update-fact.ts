import { AppError } from "../../base/errors.ts";
import { type FactPatch, type FactRow, lockFacts, patchFact, readFacts } from "../../db/agent/facts/facts.ts";
import { normaliseSubject } from "../../db/agent/facts/subject.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { normaliseFact } from "../../ingest/fact-text.ts";
import { signatureOf } from "../../settings/access.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { StoredFact } from "./fact-schemas.ts";
import { factNotFound, requireOpen } from "./present-fact.ts";
import { storeFacts } from "./store-facts.ts";

interface FactChange extends FactPatch {
  text?: string | undefined;
  subject?: string | null | undefined;
}

/** The result of a change. A new text makes a new version with its own id. */
interface ChangedFact {
  id: string;
  status: "updated" | StoredFact["status"];
  superseded: string[];
}

/**
 * Changes a fact. Attributes change in place. A new text or subject makes a new version with its own
 * id, and the old version stays readable.
 *
 * @throws AppError `fact_not_found`, `fact_superseded`, `invalid_request`, `quota_exceeded`,
 *   `agent_not_found`
 */
export async function updateFact(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  factId: string,
  change: FactChange,
): Promise<ChangedFact> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) throw factNotFound();
  const earlier = await findReplay<ChangedFact>(deps, caller);
  if (earlier) return earlier;
  const { text, subject, ...patch } = change;
  const current = await withAgentTransaction(deps.db, agent, async (tx) => {
    const [fact] = await readFacts(tx, agent.schema, [factId]);
    return checkOpen(fact);
  });
  const isSameText = text === undefined || normaliseFact(text) === current.text;
  if (isSameText && (subject === undefined || normaliseSubject(subject) === current.subject))
    return patchInPlace(deps, caller, agent, factId, patch);
  const { user, agent: forAgent, session, key, source: _, validFrom, expiresAt, ...kept } = current;
  const next = {
    ...kept,
    ...patch,
    text: text ?? current.text,
    subject: subject === undefined ? current.subject : subject,
    scope: { user, agent: forAgent, session },
    key: key ?? undefined,
    // A fact that begins in the future keeps its start.
    validFrom: validFrom > deps.clock() ? validFrom : undefined,
    expiresAt: (patch.expiresAt === undefined ? expiresAt : patch.expiresAt) ?? undefined,
    validTo: undefined,
    supersedes: [factId],
  };
  const [stored] = await storeFacts(deps, caller, agent, [next], {
    update: true,
    conclude: (service, [one]) => recordAnswer(deps, caller, service, agentId, one),
  });
  if (!stored) throw factNotFound();
  return stored;
}

async function patchInPlace(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  factId: string,
  patch: FactPatch,
): Promise<ChangedFact> {
  const write = async (tx: AgentTransaction) => {
    await lockFacts(tx, agent.schema);
    const [fact] = await readFacts(tx, agent.schema, [factId]);
    const { validFrom } = checkOpen(fact);
    if (patch.expiresAt && patch.expiresAt <= validFrom)
      throw new AppError("invalid_request", "A fact cannot expire before it holds; give a later expiresAt.");
    await patchFact(tx, agent.schema, factId, patch, { now: deps.clock(), by: signatureOf(caller) });
    const changed: ChangedFact = { id: factId, status: "updated", superseded: [] };
    await recordAnswer(deps, caller, await tx.asService(), agent.agentId, changed);
    return changed;
  };
  return deps.factTurns(agent.schema, () => withAgentTransaction(deps.db, agent, write));
}

function checkOpen(fact: FactRow | undefined): FactRow {
  if (!fact) throw factNotFound();
  requireOpen(fact);
  return fact;
}
