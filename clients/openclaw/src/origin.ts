/**
 * OpenClaw's classes of trust: typed by the owner, derived by the agent, from outside, or
 * scaffolding.
 */
export type OriginClass = "owner" | "agent" | "untrusted" | "system";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the class of a file of the workspace, by OpenClaw's own rule: curated files and notes are
 * the agent's, its dreams are scaffolding, and anything else may come from outside. OpenClaw keeps
 * files out of the prompt unless their class is trusted.
 *
 * @param path relative to the workspace, with `/`
 */
export function originOfFile(path: string): OriginClass {
  const segments = path.split("/");
  const [first = "", second] = segments;
  const isRoot = segments.length === 1;
  if (isRoot && /^dreams\.md$/i.test(first)) return "system";
  if (first === "memory" && (second === "dreaming" || second === ".dreams")) return "system";
  if (isRoot && (first === "MEMORY.md" || first === "memory.md" || first === "USER.md")) return "agent";
  return first === "memory" && path.endsWith(".md") ? "agent" : "untrusted";
}

/**
 * Returns the class of a message of a transcript, by OpenClaw's own rule: only the host's mark makes
 * a message the owner's, and an answer has the class of the turn that it answers.
 *
 * @param asked the class of the user's message before it
 */
export function originOfMessage(message: Fields, asked: OriginClass): OriginClass {
  const host = objectOf(message.__openclaw);
  if (message.role === "assistant") {
    if (host.turnTainted === true) return "untrusted";
    return asked === "owner" ? "agent" : asked;
  }
  if (objectOf(message.provenance).kind === "internal_system") return "system";
  return host.senderIsOwner === true ? "owner" : "untrusted";
}

/** Returns a value as an object; an empty one if it is none. */
export function objectOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
