import { describeFault } from "../../base/describe-fault.ts";
import { AppError, type ErrorCode } from "../../base/errors.ts";
import { within } from "../../base/pace.ts";
import { findOrCreateAgent } from "../../service/agent/create-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { Deps } from "../../service/deps.ts";
import { type RecallOutput, recallMemory } from "../../service/search/recall-memory.ts";
import { appendMessages } from "../../service/sessions/append-messages.ts";
import { turnMessageId, wordsOf } from "../../service/sessions/turn-message.ts";
import { holds } from "../../settings/access.ts";
import type { HookAnswer, HookInput } from "./hook-input.ts";

/** A call of a coding agent's hook. */
export interface HookCall {
  deps: Deps;
  caller: Caller;
  agentId: string;
  /** The name of the coding agent, with which the keys of its sessions begin. */
  host: string;
  /** The user that the conversation is for; undefined: everybody. */
  scope: { user: string } | undefined;
  input: HookInput;
}

/** How long a prompt waits. The coding agent gives up after two seconds. */
const PROMPT_MS = 1800;
/** How long it waits for its recall alone. */
const RECALL_MS = 1500;
/** The authors of a prompt that are people. Older programs name none. */
const PEOPLE: ReadonlySet<unknown> = new Set([undefined, null, "user", "sdk"]);
/** Matches a command of the coding agent, such as `/review 17`. A path has a second slash. */
const COMMAND = /^\/[\w:.-]{1,100}(?:\s|$)/u;

/** The errors that every call of the hook meets. The caller gets them as a refusal. */
const FOR_EVERY_CALL: ReadonlySet<ErrorCode> = new Set(["invalid_session_key", "agent_not_found", "agent_disabled"]);

/** Stands for an answer that a prompt does not wait for. */
const TOO_LATE = new Error("The memory did not answer in time.");

/**
 * Answers the hook of a coding agent. `UserPromptSubmit`: recalls what bears on the prompt, and
 * stores the prompt in the conversation's session. `SessionStart`: gives the standing instructions.
 * `Stop`: stores the answer. Every other event changes nothing. A caller without `agent:write`
 * stores nothing.
 *
 * The texts come with the call. No file is opened, although the input names the transcript: that
 * path is one of the client's machine.
 *
 * @throws AppError `invalid_session_key`, `agent_not_found`, `agent_disabled`
 */
export async function answerHook(call: HookCall): Promise<HookAnswer> {
  const { hook_event_name: event, agent_id: subagent } = call.input;
  // Only the agent that started a subagent talks to it.
  if (typeof subagent === "string") return {};
  if (event === "UserPromptSubmit") return answerPrompt(call);
  if (event === "SessionStart") return answerStart(call);
  if (event === "Stop") return answerEnd(call);
  return {};
}

async function answerPrompt(call: HookCall): Promise<HookAnswer> {
  const said = wordsOf(call.input.prompt ?? "");
  if (said === "") return {};
  const began = performance.now();
  const recalled = await recallFor(call, said);
  const isSaid = PEOPLE.has(call.input.source) && !COMMAND.test(said);
  const leftMs = Math.max(1, PROMPT_MS - (performance.now() - began));
  const stored = isSaid && mayStore(call) ? await store(call, "user", said, leftMs) : undefined;
  // The instructions were told when the conversation began.
  const wishes = stored?.isKnown ? "" : (recalled.output?.instructionsBlock ?? "");
  return answerOf(call, [wishes, recalled.output?.block ?? ""], [recalled.trouble, stored?.trouble]);
}

async function answerStart(call: HookCall): Promise<HookAnswer> {
  const { output, trouble } = await recallFor(call, "");
  return answerOf(call, [output?.instructionsBlock ?? ""], [trouble]);
}

async function answerEnd(call: HookCall): Promise<HookAnswer> {
  const said = wordsOf(call.input.last_assistant_message ?? "");
  if (said === "" || !mayStore(call)) return {};
  const { trouble } = await store(call, "assistant", said);
  return answerOf(call, [], [trouble]);
}

function answerOf(
  { input }: HookCall,
  blocks: readonly string[],
  troubles: readonly (string | undefined)[],
): HookAnswer {
  const told = blocks.filter((block) => block !== "").join("\n");
  const warning = [...new Set(troubles)].filter((trouble) => trouble !== undefined).join(" ");
  return {
    ...(told === "" ? {} : { hookSpecificOutput: { hookEventName: input.hook_event_name, additionalContext: told } }),
    ...(warning === "" ? {} : { systemMessage: `Recollect: ${warning}` }),
  };
}

function mayStore({ caller }: HookCall): boolean {
  return holds(caller, "agent:write");
}

interface Recalled {
  output?: RecallOutput;
  /** The reason why nothing was recalled, for the user. */
  trouble?: string;
}

/** Recalls what bears on a message. */
async function recallFor(call: HookCall, message: string): Promise<Recalled> {
  const { deps, caller, agentId, scope } = call;
  const recall = recallMemory(deps, caller, agentId, { message, scope, besides: sessionOf(call) });
  try {
    return { output: await within(recall, RECALL_MS, () => TOO_LATE) };
  } catch (error) {
    return { trouble: troubleOf(call, error, "Nothing was recalled.") };
  }
}

/**
 * Stores a message in the session of the conversation.
 *
 * @param limitMs how long to wait for that; the storing itself goes on
 * @returns whether the session had messages before, and the reason why the message was not stored
 */
async function store(
  call: HookCall,
  role: "user" | "assistant",
  said: string,
  limitMs?: number,
): Promise<{ isKnown: boolean; trouble?: string | undefined }> {
  const storing = inOrder(call, () => append(call, role, said));
  try {
    return await (limitMs === undefined ? storing : within(storing, limitMs, () => TOO_LATE));
  } catch (error) {
    if (error === TOO_LATE) {
      storing.catch((late: unknown) => note(call, late));
      return { isKnown: false };
    }
    return { isKnown: false, trouble: troubleOf(call, error, "The message was not stored.") };
  }
}

/**
 * The last message of each conversation that is being stored. An answer that follows its prompt
 * quickly waits for it, so that the session keeps the order of the conversation.
 */
const underWay = new Map<string, Promise<unknown>>();
/** The number of messages of each tenant that are being stored or wait for that. */
const counts = new Map<string, number>();
/**
 * The most such messages of a tenant. A prompt does not wait for its storing, so a slow database would
 * else let a key fill the memory of the process.
 */
const MOST_UNDER_WAY = 50;

/** @throws AppError `rate_limited` when too many messages of the tenant are being stored */
async function inOrder<T>(call: HookCall, run: () => Promise<T>): Promise<T> {
  const { tenantId } = call.caller;
  const count = counts.get(tenantId) ?? 0;
  if (count >= MOST_UNDER_WAY)
    throw new AppError("rate_limited", "Too many messages are being stored. Send them later.");
  counts.set(tenantId, count + 1);
  const place = JSON.stringify([tenantId, call.agentId, sessionOf(call)]);
  const earlier = underWay.get(place) ?? Promise.resolve();
  const storing = earlier.then(run);
  const settled = storing.catch(() => undefined);
  underWay.set(place, settled);
  await settled;
  if (underWay.get(place) === settled) underWay.delete(place);
  const left = (counts.get(tenantId) ?? 1) - 1;
  if (left > 0) counts.set(tenantId, left);
  else counts.delete(tenantId);
  return storing;
}

async function append(call: HookCall, role: "user" | "assistant", text: string): Promise<{ isKnown: boolean }> {
  const { deps, caller, agentId, scope } = call;
  const { enabled, onAppend, extract } = (await findOrCreateAgent(deps, caller, agentId)).settings.facts.capture;
  const turn = call.input.prompt_id ?? call.input.turn_id ?? undefined;
  const id = turn === undefined ? undefined : turnMessageId(turn, role, text);
  const message = { id, role, text, at: deps.clock() };
  const [session, messages] = [sessionOf(call), [message]];
  // A chat model needs seconds, so the message does not wait for it.
  const isLater = role === "user" && enabled && onAppend && extract;
  const capture = isLater ? { capture: false } : {};
  const { lastMessage, appended } = await appendMessages(deps, caller, agentId, session, {
    messages,
    end: false,
    scope,
    ...capture,
  });
  if (isLater && appended > 0)
    for (const captureLater of deps.hooks.captureLater)
      captureLater(deps, caller, agentId, { messages, session }).catch((error: unknown) => note(call, error));
  return { isKnown: lastMessage > 1 };
}

function sessionOf({ host, input }: HookCall): string {
  return `${host}:${input.session_id}`;
}

/**
 * Returns a sentence for the user about an error.
 *
 * @throws AppError `invalid_session_key`, `agent_not_found`, `agent_disabled`, which every call would meet
 */
function troubleOf(call: HookCall, error: unknown, instead: string): string {
  if (error === TOO_LATE) return `${instead} The memory took too long.`;
  if (!(error instanceof AppError)) {
    note(call, error);
    return `${instead} The memory is unavailable.`;
  }
  if (FOR_EVERY_CALL.has(error.code)) throw error;
  return `${instead} ${error.message}`;
}

/** Logs an error that the user is not told. */
function note({ deps, agentId }: HookCall, error: unknown): void {
  deps.logger.warn({ agentId, ...describeFault(error) }, "a coding agent's hook went on without the memory");
}
