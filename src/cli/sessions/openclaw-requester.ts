/** OpenClaw's entry of a conversation. */
export interface SessionEntry {
  readonly sessionKey: string;
  readonly sessionId?: string | undefined;
  readonly chatType?: string | undefined;
  /** The session that began this one, if it is a subagent's. */
  readonly spawnedBy?: string | undefined;
}

/**
 * The people in a conversation: the owner alone, another person alone, several people, or no person
 * but a program.
 */
export type Audience = "owner" | "person" | "shared" | "internal";

/** The rights of a session, derived from its key and OpenClaw's entry of it. */
export interface Requester {
  readonly audience: Audience;
  /** The scope under which the session's messages and facts are stored. */
  readonly writes: Scope;
  /** The scope of its searches; undefined: everything of the agent, which only the owner reads. */
  readonly reads: Scope | undefined;
  /** Whether its conversation becomes part of the memory. */
  readonly isKept: boolean;
}

export type Scope = { user: string } | { session: string };

export interface RequesterOptions {
  /** The user of the owner's private conversations. */
  user: string;
  /** The last part of the key of the owner's main conversation. */
  mainKey: string;
  /** Returns OpenClaw's entry of a session. */
  entryOf(sessionKey: string): SessionEntry | undefined;
}

/** Sessions that programs run: their prompts are scaffolding, which no memory should hold. */
const INTERNAL = /(?:^|:)(?:cron|heartbeat|active-memory|dreaming|node|commitments)(?::|$)/;
const MANY = /(?:^|:)(?:group|channel|room)(?::|$)/;
/**
 * Matches the key of a private conversation: its channel, its person, and the rest. On some networks people choose their
 * names, so a person may be called `node` or `cron`.
 */
const DIRECT = /^(?<person>(?<channel>(?:.*?:)?)(?:direct|dm)(?::[^:]*|$))(?<rest>.*)$/s;
/** Matches the thread of a private conversation, and the program that enters it. */
const IN_DIRECT = /(?::thread:.*|:heartbeat)$/s;
/**
 * Matches the keys that the owner gives. Channels make keys of several parts, so a key of one word is a
 * name that the owner gave on the command line. OpenClaw itself says `global` if all people share one
 * conversation, and `unknown` if it does not know whose it is.
 */
const OWNERS = /^(?!(?:global|unknown)$)[^:]+$/;
/** Matches the conversations that the owner begins in OpenClaw's own programs, if the entry says that they are private. */
const OF_A_PROGRAM = /^(?:explicit|dashboard|tui|webchat):[^:]+$/;
const OUTSIDE = /(?:^|:)hook(?::|$)/;
/** A chain of subagents longer than this is not followed. */
const MAX_PARENTS = 8;

/**
 * Returns the rights of a session. A session that cannot be told to be private counts as shared, so
 * an unknown kind of key reads only its own conversation. A subagent has the rights of the session
 * that began it.
 */
export function requesterOf(sessionKey: string | undefined, options: RequesterOptions): Requester {
  if (sessionKey === undefined || sessionKey.trim() === "") return shared("unknown", false);
  const { key, isSubagent } = rootOf(sessionKey, options);
  const name = nameOf(key);
  const type = options.entryOf(key)?.chatType;
  if (type === "group" || type === "channel" || MANY.test(name) || OUTSIDE.test(name))
    return shared(key, !isSubagent && !OUTSIDE.test(name));
  if (/(?:^|:)subagent(?::|$)/.test(name)) return shared(key, false);
  // Before the sessions of programs, which read as much as the owner.
  const { person, channel = "", rest = "" } = DIRECT.exec(name)?.groups ?? {};
  if (person !== undefined && !INTERNAL.test(channel)) {
    const user = `${person}${rest.replace(IN_DIRECT, "")}`;
    return { audience: "person", writes: { user }, reads: { user }, isKept: !isSubagent && !INTERNAL.test(rest) };
  }
  if (INTERNAL.test(name)) return { ...owner(options), audience: "internal", isKept: false };
  const isOwners = name === options.mainKey || OWNERS.test(name) || (type === "direct" && OF_A_PROGRAM.test(name));
  return isOwners ? { ...owner(options), isKept: !isSubagent } : shared(key, !isSubagent);
}

/** Returns whether a session may see the conversation under a key. */
export function sees(requester: Requester, sessionKey: string, options: RequesterOptions): boolean {
  if (requester.reads === undefined) return true;
  return JSON.stringify(requester.reads) === JSON.stringify(requesterOf(sessionKey, options).writes);
}

function owner({ user }: RequesterOptions): Requester {
  return { audience: "owner", writes: { user }, reads: undefined, isKept: true };
}

function shared(session: string, isKept: boolean): Requester {
  return { audience: "shared", writes: { session }, reads: { session }, isKept };
}

/** Follows a subagent's sessions to the session that a person or a channel began. */
function rootOf(sessionKey: string, { entryOf }: RequesterOptions): { key: string; isSubagent: boolean } {
  let key = sessionKey;
  for (let steps = 0; steps < MAX_PARENTS; steps++) {
    const parent = entryOf(key)?.spawnedBy;
    if (parent === undefined || parent === "" || parent === key) break;
    key = parent;
  }
  return { key, isSubagent: key !== sessionKey };
}

/** Returns the part of a key after `agent:<id>:`. */
function nameOf(key: string): string {
  return key.trim().replace(/^(?:agent:[^:]*:)+/, "");
}
