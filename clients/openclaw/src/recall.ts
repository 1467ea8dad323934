import type { Requester } from "../../../src/cli/sessions/openclaw-requester.ts";
import type { AgentClient } from "../../../src/client/client.ts";
import type { Memory } from "./memory.ts";
import { outageNote } from "./unavailable.ts";

/** The server reads only this many characters at the end of a message. */
const MAX_MESSAGE_CHARS = 8192;
/** An envelope that a channel puts before a message, such as `[Telegram Ana 2026-05-18 09:15] `. */
const ENVELOPE = /^\[[^\]\n]{1,200}\]\s*/;

export interface RecalledTurn {
  memory: Memory;
  agentId: string;
  requester: Requester;
  readsFiles: boolean;
}

/**
 * Returns what to place before the message of a turn: facts and passages that bear on it, or a note
 * that the memory is away. Returns undefined when there is nothing to say.
 */
export async function recallFor(message: string, turn: RecalledTurn): Promise<string | undefined> {
  const end = message.replace(ENVELOPE, "").slice(-MAX_MESSAGE_CHARS).toWellFormed();
  if (end.trim() === "") return undefined;
  const { memory, agentId, requester, readsFiles } = turn;
  // The owner's searches read everything. A turn gets a recall unasked, so it has nothing of
  // conversations with others, who may have planted it.
  const input = { message: end, scope: requester.writes, ...(readsFiles ? {} : { maxQuotes: 0 }) };
  const recall = async (client: AgentClient) => {
    const { instructionsBlock, block } = await client.recall(input);
    return [instructionsBlock, block].filter((part) => part !== "").join("\n");
  };
  const asked = await memory.ask(agentId, recall, { empty: "" });
  if (!("answer" in asked)) return outageNote("away" in asked ? asked.away : asked.refused);
  return asked.answer === "" ? undefined : asked.answer;
}
