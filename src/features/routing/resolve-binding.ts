import type { Binding } from "../../settings/bindings.ts";

/** The origin of a message. */
export interface Message {
  readonly channel?: string | undefined;
  readonly accountId?: string | undefined;
  readonly peer?: { readonly kind: string; readonly id: string } | undefined;
  /** The conversation, which becomes part of the session's key; by default the peer. */
  readonly context?: string | undefined;
}

type MatchedBy = "peer" | "account" | "channel" | "default";

/**
 * Returns the agent that a message goes to. Every part that a rule names must be equal (channels
 * without regard to case). Among matching rules, a rule that names the peer beats a rule that
 * names the account, which beats a rule that names only the channel. A rule without a match takes
 * the messages that no other rule takes, before the default agent does. Among equal rules the first
 * wins.
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

/** Returns whether two peers are the same. `dm` is OpenClaw's older word for `direct`. */
function isPeer(one: Peer, other: Peer): boolean {
  const kind = (peer: Peer) => (peer.kind === "dm" ? "direct" : peer.kind);
  return kind(one) === kind(other) && one.id === other.id;
}

/**
 * Returns how specific a rule is. `accountId: "*"` means every account, so such a rule says no more
 * than its channel.
 */
function levelOf(rule: Match): MatchedBy {
  if (rule.peer) return "peer";
  return rule.accountId !== undefined && rule.accountId !== "*" ? "account" : "channel";
}

/**
 * Returns the key of a conversation: `agent:{agentId}:{channel}:{context}`. Messages of the API
 * itself have the channel `api`.
 */
export function sessionKey(agent: string, message: Message): string {
  const { channel = "api", peer, context = peer ? `${peer.kind}:${peer.id}` : "main" } = message;
  // A colon in the channel could give two conversations the same key.
  return `agent:${agent}:${channel.replaceAll(":", "%3A")}:${context}`;
}
