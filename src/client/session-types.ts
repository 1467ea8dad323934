import type { Captured } from "./fact-types.ts";
import type { MessageInput } from "./message-types.ts";
import type { FactScope } from "./search-types.ts";

export interface AppendInput {
  /**
   * The conversation's key, any printable text of up to 200 characters, such as `telegram:group:5`.
   */
  session: string;
  /** The messages in order, at most 500. May be absent with `end`. */
  messages?: readonly MessageInput[] | undefined;
  /** Whether the conversation is over. */
  end?: boolean | undefined;
  /**
   * Whether to store what the user states as facts; default: the setting `facts.capture.onAppend`.
   */
  capture?: boolean | undefined;
  /**
   * The user, agent and session that the conversation and its captured facts are for. The first
   * append that names a scope fixes it.
   */
  scope?: FactScope | undefined;
}

export interface AppendedMessages {
  session: string;
  key: string;
  /** The path to pass to `get`. */
  path: string;
  appended: number;
  /** The number of messages whose id was already known. */
  duplicates: number;
  /** The number of messages that are older than the agent's retention allows. */
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
  /** The scope of the conversation; empty: the whole agent. */
  scope: FactScope;
  messages: number;
  bytes: number;
  lines: number;
  startedAt: string;
  lastMessageAt: string;
  unindexedMessages: number;
}

/** The filter for a list of sessions. */
export interface SessionFilter {
  prefix?: string | undefined;
  /** The parts that a session's scope must have, exactly. */
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  /** The number of rows per page. */
  limit?: number | undefined;
}

/**
 * The messages of a session to read. If parts of a scope are given, a session of another scope
 * counts as missing.
 */
export interface SessionQuery extends FactScope {
  /** The number after which to read. Only messages with higher numbers are returned. */
  after?: number | undefined;
  limit?: number | undefined;
}

export interface SessionPage {
  sessions: SessionSummary[];
  nextCursor?: string | undefined;
}

/** A stored message. */
export interface Message {
  /** The message's position in the conversation, from 1. */
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
  /** The value to pass as `after` for the next page. */
  nextAfter?: number | undefined;
}

export interface DeletedSession {
  session: string;
  messages: number;
  chunks: number;
}
