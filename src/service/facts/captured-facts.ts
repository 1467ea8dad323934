import type { FactCategory } from "../../db/agent/facts/facts.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { FileDeps } from "../files/file-deps.ts";

/** A captured statement. A statement that was not stored has no `id` and `status`. */
export interface CapturedFact {
  id?: string;
  status?: "stored" | "duplicate";
  text: string;
  /** The speaker, or the person or thing that the statement is about. */
  subject?: string;
  category: FactCategory;
  key?: string;
  /** The rule that found the statement, or `model`. */
  trigger: string;
  /** The ids of the facts that this fact supersedes. */
  superseded: string[];
}

/** The facts that were captured from messages. */
export interface CaptureOutput {
  facts: CapturedFact[];
  stored: number;
  duplicates: number;
  superseded: number;
  warnings: string[];
}

/** Returns an answer without facts. */
export function nothingCaptured(warnings: string[]): CaptureOutput {
  return { facts: [], stored: 0, duplicates: 0, superseded: 0, warnings };
}

/**
 * Records the number of stored facts in the agent's activity. A turn without new facts is not
 * recorded.
 */
export function noteCapture(deps: FileDeps, caller: Caller, agent: KnownAgent, captured?: CaptureOutput): void {
  if (captured !== undefined && captured.stored > 0) deps.activity.note(agent, caller, "capture", captured.stored);
}
