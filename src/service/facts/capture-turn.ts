import type { FactScope } from "../../db/agent/facts/facts.ts";
import { findOrCreateAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { FileDeps } from "../files/file-deps.ts";
import {
  CAPTURE_IS_OFF,
  type CaptureOutput,
  captureOutput,
  factsOf,
  readStatements,
  type TurnMessage,
} from "./read-statements.ts";
import { storeFacts } from "./store-facts.ts";

export interface TurnInput {
  messages: readonly TurnMessage[];
  /** Whom and what the facts are for. */
  scope?: FactScope | undefined;
  /** The session's key, noted as where the facts come from. */
  session?: string | undefined;
  dryRun?: boolean | undefined;
}

/**
 * Captures what the user states in a turn. No transaction is open while it is read; what is found is stored all or nothing, and
 * the same messages store nothing a second time.
 *
 * @throws as `findOrCreateAgent` and `storeFacts`
 */
export async function captureTurn(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  input: TurnInput,
): Promise<CaptureOutput> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  if (!agent.settings.facts.capture.enabled) return captureOutput([], [], [CAPTURE_IS_OFF]);
  const { candidates, warnings } = await readStatements(deps, agent, input.messages);
  if (input.dryRun) return captureOutput(candidates, [], warnings);
  const stored = await storeFacts(deps, caller, agent, factsOf(candidates, input.messages, input, deps.clock()));
  return captureOutput(candidates, stored, warnings);
}
