import type { AgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import type { Scope } from "../../db/agent/schema/scope.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Registered } from "../core/hooks.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { type CaptureOutput, nothingCaptured } from "../facts/captured-facts.ts";
import type { WrittenFacts } from "../facts/write-facts.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { AppendInput, MessageInput } from "./append-input.ts";

/** The messages of an append, by which facts are attached to them. */
export interface StoredMessages {
  /**
   * The numbers of the stored messages, by their position in the input. The session had the other
   * messages already.
   */
  seqs: ReadonlyMap<number, number>;
  /** The scope of the session, which its facts get too. */
  scope: Scope;
}

/** The facts to store together with the messages of an append. */
export interface CapturePlan {
  /** The number of statements that may become facts. */
  readonly count: number;
  readonly warnings: readonly string[];
  /**
   * Writes the facts of the stored messages, in the transaction that stores the messages and has
   * locked their session.
   *
   * @returns `captured`: the part of the append's answer
   */
  write(tx: AgentTransaction, of: StoredMessages): Promise<{ captured: CaptureOutput; written?: WrittenFacts }>;
}

/** The hooks of conversations. */
export interface SessionHooks {
  /**
   * Finds the facts in messages that are about to be appended. No transaction is open: a chat model
   * may be called.
   *
   * @returns undefined when nothing is to be captured
   */
  planCapture(
    deps: FileDeps,
    caller: Caller,
    agent: KnownAgent,
    session: string,
    input: AppendInput,
  ): Promise<CapturePlan | undefined>;
  /**
   * Captures facts from messages that were appended with `capture: false`, because their sender does
   * not wait for a chat model.
   */
  captureLater(
    deps: FileDeps,
    caller: Caller,
    agentId: string,
    turn: { messages: readonly MessageInput[]; session: string },
  ): Promise<unknown>;
}

const SWITCHED_OFF = "Nothing was captured: capture is switched off on this server.";

/** Plans the capture of an append. An append that asks for it learns that it is switched off. */
export async function planCapture(
  deps: FileDeps & { readonly hooks: Registered<SessionHooks> },
  caller: Caller,
  agent: KnownAgent,
  session: string,
  input: AppendInput,
): Promise<CapturePlan | undefined> {
  const [plan] = deps.hooks.planCapture;
  if (plan) return plan(deps, caller, agent, session, input);
  return input.capture === true ? planWithoutFacts([SWITCHED_OFF]) : undefined;
}

/** Returns a plan that stores no fact, and warns of the reasons. */
export function planWithoutFacts(warnings: string[]): CapturePlan {
  return { count: 0, warnings, write: async () => ({ captured: nothingCaptured(warnings) }) };
}
