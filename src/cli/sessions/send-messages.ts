import type { AgentClient } from "../../client/agent-client.ts";
import type { AppendInput } from "../../client/client.ts";
import { codeOf, sentenceOf } from "../shell/problem.ts";
import type { TranscriptMessage } from "./transcript-line.ts";

/** The session to which messages are sent. */
export interface SessionTarget {
  memory: AgentClient;
  /** The session's key. */
  session: string;
  /** Whether facts are captured as the agent's settings say; false: none are captured. */
  captures?: boolean | undefined;
  /** The scope of captured facts; default: everybody. */
  scope?: AppendInput["scope"] | undefined;
}

/** The result of sending messages. A place is the position of a message in its source. */
export interface MessagesSent<Place> {
  /** The number of messages that the server stored. */
  sent: number;
  /** The number of facts that the server captured. */
  captured: number;
  /**
   * The number of messages that the server already had. `expired` counts the messages that are too
   * old to be kept.
   */
  duplicates: number;
  expired: number;
  /** The messages that the server refused. */
  refused: { place: Place; reason: string }[];
  /** The indexing state in the server's last answer; undefined when nothing was sent. */
  indexing: "done" | "queued" | "off" | undefined;
}

export interface MessageSender<Place> {
  readonly result: MessagesSent<Place>;
  /** Adds a message. Sends the messages before it first if they fill a request. */
  add(message: TranscriptMessage, place: Place): Promise<void>;
  /**
   * Sends the remaining messages.
   *
   * @param isOver whether the conversation is over, so that the server indexes it at once
   */
  finish(isOver: boolean): Promise<void>;
}

/**
 * The limits of one batch. The server accepts 500 messages and 8 MB of JSON, in which a character
 * may take six bytes.
 */
const BATCH_MESSAGES = 200;
const BATCH_CHARS = 1_000_000;
/** Error codes by which one item makes the server refuse a whole batch. */
const ABOUT_AN_ITEM = new Set(["invalid_request", "invalid_encoding", "payload_too_large"]);

/**
 * Creates a sender that appends messages to a session in order, in batches. Sending a message again
 * does no harm, because each message has an id.
 *
 * @throws (its functions) RecollectError when the service cannot be reached, or refuses for a
 * reason that concerns more than a single message
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
 * Sends a batch, which is stored all or nothing. A refused batch is halved until the item that
 * causes the refusal stands alone.
 *
 * @throws the error of `send`, if its reason concerns more than a single item
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
