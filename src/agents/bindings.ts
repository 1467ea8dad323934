import { z } from "zod";
import { AGENT_ID } from "./agent-id.ts";
import { parseStrictly } from "./parse-strictly.ts";

/** Where a message came from. */
export interface Message {
  readonly channel?: string | undefined;
  readonly accountId?: string | undefined;
  readonly peer?: { readonly kind: string; readonly id: string } | undefined;
  /** The conversation, for the session's key; by default the peer. */
  readonly context?: string | undefined;
}

/** Text that goes into session keys: no control characters, bounded. */
const label = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");

/** What a rule compares; nothing: it is the default route. */
export const matchParts = z.strictObject({
  channel: label.optional(),
  accountId: label.optional(),
  peer: z.strictObject({ kind: label, id: label }).optional(),
});

const match = matchParts.refine(
  (value) => Object.values(value).some((part) => part !== undefined),
  "must name a channel, accountId or peer",
);

/** OpenClaw lower-cases ids before it compares them, so a pasted file may spell them otherwise. */
const agentId = z
  .string()
  .transform((id) => id.toLowerCase())
  .pipe(z.string().regex(AGENT_ID, "must be an agent id: lower-case letters, digits, - or _, at most 63"));

/** Without `match` the rule is the default route. An empty `match` is refused: it may be one that somebody forgot to fill. */
const bindingSchema = z.strictObject({ agentId, match: match.optional() });
/** Of a tenant. */
export const MAX_BINDINGS = 1000;
const bindingsSchema = z.array(bindingSchema).max(MAX_BINDINGS);

/** A rule that routes a message to an agent. */
export type Binding = z.infer<typeof bindingSchema>;

/** @throws AppError `invalid_settings` */
export function parseBinding(value: unknown, path: string): Binding {
  return parseStrictly(bindingSchema as z.ZodType<Binding>, value, path);
}

/** @throws AppError `invalid_settings`, naming the path of each bad key */
export function parseBindings(value: unknown, path: string): Binding[] {
  return parseStrictly(bindingsSchema as z.ZodType<Binding[]>, value, path);
}

type MatchedBy = "peer" | "account" | "channel" | "default";

/**
 * The agent that a message goes to. Everything that a rule names must be equal (channels without regard to case); of the rules that match, one that names the
 * peer beats one that names the account, and that one which names only the channel. A rule without a match takes what no
 * other takes, before the default agent. Among equals the first wins.
 */
export function resolveBinding(
  bindings: readonly Binding[],
  message: Message,
  defaultAgentId: string,
): { agentId: string; matchedBy: MatchedBy } {
  const matching = bindings.filter(({ match }) => match === undefined || matches(match, message));
  for (const level of ["peer", "account", "channel", "default"] as const) {
    const found = matching.find(({ match }) => (match === undefined ? "default" : levelOf(match)) === level);
    if (found) return { agentId: found.agentId, matchedBy: level };
  }
  return { agentId: defaultAgentId, matchedBy: "default" };
}

type Match = NonNullable<Binding["match"]>;

function matches(rule: Match, message: Message): boolean {
  const { channel, accountId, peer } = rule;
  return (
    (channel === undefined || channel.toLowerCase() === message.channel?.toLowerCase()) &&
    (accountId === undefined || accountId === "*" || accountId === message.accountId) &&
    (peer === undefined || (message.peer !== undefined && isPeer(peer, message.peer)))
  );
}

type Peer = NonNullable<Message["peer"]>;

/** `dm` is OpenClaw's older word for `direct`. */
function isPeer(one: Peer, other: Peer): boolean {
  const kind = (peer: Peer) => (peer.kind === "dm" ? "direct" : peer.kind);
  return kind(one) === kind(other) && one.id === other.id;
}

/** `accountId: "*"` is every account, so the rule says no more than its channel. */
function levelOf(rule: Match): MatchedBy {
  if (rule.peer) return "peer";
  return rule.accountId !== undefined && rule.accountId !== "*" ? "account" : "channel";
}

/** The key of a conversation: `agent:{agentId}:{channel}:{context}`. Messages of the API itself have the channel `api`. */
export function sessionKey(agent: string, message: Message): string {
  const { channel = "api", peer, context = peer ? `${peer.kind}:${peer.id}` : "main" } = message;
  // A channel with a colon would make two conversations one.
  return `agent:${agent}:${channel.replaceAll(":", "%3A")}:${context}`;
}
