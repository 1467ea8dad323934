import type { AgentClient } from "../../client/agent-client.ts";
import type { AppendInput } from "../../client/client.ts";
import { codeOf, sentenceOf } from "../shell/problem.ts";
import type { TranscriptMessage } from "./transcript-line.ts";

/** Where messages go. */
export interface SessionTarget {
  memory: AgentClient;
  /** Its key. */
  session: string;
  /** false: nothing is captured; else as the agent's settings say. */
  captures?: boolean | undefined;
  /** Whom captured facts are for; everybody without it. */
  scope?: AppendInput["scope"] | undefined;
}

/** What became of messages; a place is where one stands in its source. */
export interface MessagesSent<Place> {
  /** Messages that the server stored. */
  sent: number;
  /** Facts that the server captured. */
  captured: number;
  /** Messages it had already, and those older than it keeps them. */
  duplicates: number;
  expired: number;
  /** Messages that were refused. */
  refused: { place: Place; reason: string }[];
  /** What the server said of indexing last; undefined: nothing was sent. */
  indexing: "done" | "queued" | "off" | undefined;
}

export interface MessageSender<Place> {
  readonly result: MessagesSent<Place>;
  /** Takes a message, and sends those before it when they are enough for a request. */
  add(message: TranscriptMessage, place: Place): Promise<void>;
  /** Sends what is left. @param isOver whether the conversation is over, so that the server indexes it at once */
  finish(isOver: boolean): Promise<void>;
}

/** The server takes 500 messages and 8 MB of JSON, in which a character may need six bytes. */
const BATCH_MESSAGES = 200;
const BATCH_CHARS = 1_000_000;
/** Refusals that one item of a batch can cause for all of it. */
const ABOUT_AN_ITEM = new Set(["invalid_request", "invalid_encoding", "payload_too_large"]);

/**
 * Appends messages to a session, in batches, in order. Sent again they do no harm: each has an id.
 *
 * @throws (its functions) RecollectError when the service cannot be reached or refuses for a reason that is no single message's
 */
export function createMessageSender<Place>(target: SessionTarget): MessageSender<Place> {
  const result: MessagesSent<Place> = {
    sent: 0,
    captured: 0,
    duplicates: 0,
    expired: 0,
    refused: [],
    indexing: undefined,
  };
  let batch: { message: TranscriptMessage; place: Place }[] = [];
  let chars = 0;
  const flush = async (end: boolean) => {
    const whole = batch;
    [batch, chars] = [[], 0];
    await sendOrHalve(
      whole,
      async (part) => {
        const isLast = part.at(-1) === whole.at(-1);
        const messages = part.map(({ message }) => message);
        const { captures, scope } = target;
        const capture = captures === false ? { capture: false } : {};
        const options = { end: end && isLast, ...capture, ...(scope && { scope }) };
        const answer = await target.memory.sessions.append({ session: target.session, messages, ...options });
        result.sent += answer.appended;
        result.captured += answer.captured?.stored ?? 0;
        result.duplicates += answer.duplicates;
        result.expired += answer.expired;
        result.indexing = answer.indexing;
      },
      ({ place }, reason) => result.refused.push({ place, reason }),
    );
  };
  return {
    result,
    add: async (message, place) => {
      const { length } = message.text;
      if (batch.length === BATCH_MESSAGES || (batch.length > 0 && chars + length > BATCH_CHARS)) await flush(false);
      batch.push({ message, place });
      chars += length;
    },
    finish: flush,
  };
}

/**
 * Sends a batch that is all or nothing: one that is refused is halved until the item that it is refused for stands alone.
 *
 * @throws what `send` throws for a reason that is no single item's
 */
export async function sendOrHalve<Item>(
  batch: readonly Item[],
  send: (part: readonly Item[]) => Promise<void>,
  refuse: (item: Item, reason: string) => void,
): Promise<void> {
  const [only] = batch;
  if (only === undefined) return;
  try {
    await send(batch);
  } catch (error) {
    if (!ABOUT_AN_ITEM.has(codeOf(error) ?? "")) throw error;
    if (batch.length === 1) return refuse(only, sentenceOf(error));
    const middle = Math.ceil(batch.length / 2);
    await sendOrHalve(batch.slice(0, middle), send, refuse);
    await sendOrHalve(batch.slice(middle), send, refuse);
  }
}
