import type { Captured } from "./fact-types.ts";
import type { MessageInput } from "./message-types.ts";
import type { FactScope } from "./search-types.ts";

export interface AppendInput {
  /** The conversation's key, any printable text of up to 200 characters, such as `telegram:group:5`. */
  session: string;
  /** At most 500, in order; may be absent with `end`. */
  messages?: readonly MessageInput[] | undefined;
  /** The conversation is over. */
  end?: boolean | undefined;
  /** Store what the user states as facts; default: the setting `facts.capture.onAppend`. */
  capture?: boolean | undefined;
  /** Whom the conversation and its captured facts are for; fixed by the first append that names it. */
  scope?: FactScope | undefined;
}

export interface AppendedMessages {
  session: string;
  key: string;
  /** What `get` reads. */
  path: string;
  appended: number;
  /** Messages whose id was known. */
  duplicates: number;
  /** Messages that are older than what the agent keeps. */
  expired: number;
  /** The number of the last message. */
  lastMessage: number;
  unindexedMessages: number;
  indexing: "done" | "queued" | "off";
  captured?: Captured | undefined;
}

export interface SessionSummary {
  session: string;
  key: string;
  path: string;
  /** Whom it is for; empty: the whole agent. */
  scope: FactScope;
  messages: number;
  bytes: number;
  lines: number;
  startedAt: string;
  lastMessageAt: string;
  unindexedMessages: number;
}

/** Which sessions are listed. */
export interface SessionFilter {
  prefix?: string | undefined;
  /** Only sessions with exactly these parts in their scope. */
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  /** Rows of a page. */
  limit?: number | undefined;
}

/** Which messages of a session are read. With a part of a scope, a session of another scope counts as missing. */
export interface SessionQuery extends FactScope {
  /** Only messages with higher numbers. */
  after?: number | undefined;
  limit?: number | undefined;
}

export interface SessionPage {
  sessions: SessionSummary[];
  nextCursor?: string | undefined;
}

/** A message as it is stored. */
export interface Message {
  /** Its place in the conversation, from 1. */
  number: number;
  id?: string | undefined;
  role: "user" | "assistant" | "system" | "tool";
  name?: string | undefined;
  text: string;
  at: string;
  startLine: number;
  endLine: number;
}

/** A conversation with a page of its messages. */
export interface Session {
  session: SessionSummary;
  lastMessageId: string | null;
  messages: Message[];
  /** What to pass as `after` for the next page. */
  nextAfter?: number | undefined;
}

export interface DeletedSession {
  session: string;
  messages: number;
  chunks: number;
}
