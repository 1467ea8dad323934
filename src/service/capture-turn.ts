import { AppError } from "../base/errors.ts";
import type { FactCategory, FactScope } from "../db/agent/facts.ts";
import { extractFacts } from "../ingest/capture/extract-facts.ts";
import type { FactCandidate } from "../ingest/capture/fact-candidate.ts";
import type { Caller, Deps } from "./deps.ts";
import { findOrCreateAgent, type KnownAgent } from "./find-agent.ts";
import type { ReadTurn } from "./prepare-file.ts";
import { type FactInput, storeFacts } from "./store-facts.ts";

export interface TurnMessage {
  /** Only what `user` says is captured; the others are context for a model. */
  role: string;
  text: string;
  /** When it was said: what is sent again with the same time is captured once, also when it has been contradicted since. */
  at?: Date | undefined;
}

export interface TurnInput {
  messages: readonly TurnMessage[];
  /** Whom and what the facts are for. */
  scope?: FactScope | undefined;
  /** The session's key, noted as where the facts come from. */
  session?: string | undefined;
  dryRun?: boolean | undefined;
}

/** A statement that was captured; without `id` and `status` when nothing was to be stored. */
export interface CapturedFact {
  id?: string;
  status?: "stored" | "duplicate";
  text: string;
  category: FactCategory;
  key?: string;
  /** Which rule found it, or `model`. */
  trigger: string;
  /** Ids of the facts whose place it takes. */
  superseded: string[];
}

export interface CaptureOutput {
  facts: CapturedFact[];
  stored: number;
  duplicates: number;
  superseded: number;
  warnings: string[];
}

/** Nobody waits for a capture as for a search, and a model that writes needs longer than one that grades. */
const EXTRACT_TIMEOUT_MS = 30_000;

/**
 * Captures what the user states in a turn: by rules, and by the chat model as well if the agent's settings say so. When the model
 * is out the rules alone, with a warning. No transaction is open while it is asked; what is found is stored all or nothing, and
 * the same messages store nothing a second time.
 *
 * @throws as `findOrCreateAgent` and `storeFacts`
 */
export async function captureTurn(
  deps: Deps,
  caller: Caller,
  agentId: string,
  input: TurnInput,
): Promise<CaptureOutput> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const { enabled, languages, extract } = agent.settings.facts.capture;
  if (!enabled) return answer([], ["Nothing was captured: facts.capture.enabled is off for this agent."]);
  const messages = input.messages.map(({ role, text }) => ({ role, text }));
  const turn = await deps.preparer.readTurn({ messages, languages });
  const asked = extract ? await askModel(deps, agent, messages, turn) : { facts: [], warnings: [] };
  const candidates = latestOfEachKey([...turn.candidates, ...asked.facts]);
  const facts = candidates.map((one) => ({ ...shown(one), superseded: [] as string[] }));
  if (input.dryRun) return answer(facts, asked.warnings);
  const times = saidAt(input.messages, candidates, deps.clock());
  const inputs = candidates.map((one, index) => toFact(one, input, times[index]));
  const stored = await storeFacts(deps, caller, agent, inputs);
  return answer(
    facts.map((fact, index) => ({ ...fact, ...stored[index] })),
    asked.warnings,
  );
}

async function askModel(
  deps: Deps,
  agent: KnownAgent,
  messages: TurnMessage[],
  { candidates, own }: ReadTurn,
): Promise<{ facts: FactCandidate[]; warnings: string[] }> {
  // A turn in which the user says nothing himself needs no model.
  if (own.every((text) => !/\p{L}/u.test(text))) return { facts: [], warnings: [] };
  try {
    const chat = deps.models.chat(agent.settings.facts.capture.model);
    const { facts, dropped } = await extractFacts(chat, { messages, own }, AbortSignal.timeout(EXTRACT_TIMEOUT_MS));
    if (dropped > 0) deps.logger.info({ agentId: agent.agentId, dropped }, "a chat model's facts were left out");
    // What the rules have understood they have with a key and in the user's words.
    return { facts: facts.filter((fact) => !candidates.some((one) => overlaps(one, fact))), warnings: [] };
  } catch (error) {
    const code = error instanceof AppError ? error.code : "model_unavailable";
    deps.logger.warn({ code, agentId: agent.agentId }, "no facts from the chat model; the rules alone");
    const why = error instanceof AppError ? error.message : `It took longer than ${EXTRACT_TIMEOUT_MS} ms.`;
    return { facts: [], warnings: [`The chat model was left out; only the rules were used. ${why}`] };
  }
}

function overlaps(one: FactCandidate, other: FactCandidate): boolean {
  if (one.messageIndex !== other.messageIndex) return false;
  return one.range.start < other.range.end && other.range.start < one.range.end;
}

/** Who corrects himself in one breath has said the last: stored one after the other, both would be new each time they are sent. */
function latestOfEachKey(candidates: readonly FactCandidate[]): FactCandidate[] {
  const last = new Map(candidates.flatMap((one) => (one.key === undefined ? [] : [[one.key, one]])));
  return candidates.filter((one) => one.key === undefined || last.get(one.key) === one);
}

/** When each was said; not in the future, and unknown when its message does not say. */
function saidAt(messages: readonly TurnMessage[], candidates: readonly FactCandidate[], now: Date) {
  return candidates.map(({ messageIndex }) => {
    const at = messages[messageIndex]?.at;
    return at !== undefined && at <= now ? at : undefined;
  });
}

function toFact(candidate: FactCandidate, { scope, session }: TurnInput, validFrom: Date | undefined): FactInput {
  const { text, category, importance, key, trigger } = candidate;
  return {
    ...{ text, category, importance, key, validFrom, scope },
    tags: ["capture"],
    source: session === undefined ? { kind: "call", note: `capture: ${trigger}` } : { kind: "message", session },
  };
}

function shown({ text, category, key, trigger }: FactCandidate) {
  return { text, category, ...(key === undefined ? {} : { key }), trigger };
}

function answer(facts: CapturedFact[], warnings: string[]): CaptureOutput {
  const count = (status: string) => facts.filter((fact) => fact.status === status).length;
  const superseded = facts.reduce((sum, fact) => sum + fact.superseded.length, 0);
  return { facts, stored: count("stored"), duplicates: count("duplicate"), superseded, warnings };
}
