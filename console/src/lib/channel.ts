/** Returns the name of a conversation without the agent's part: `slack:C042` for `agent:main:slack:C042`. */
export function nameOfSession(key: string): string {
  return key.replace(/^agent:[^:]+:/, "");
}

/** Returns the first part of a conversation's name, such as `slack`; empty: the name has no parts. */
export function channelOf(name: string): string {
  const [first = "", ...rest] = nameOfSession(name).split(":");
  return rest.length > 0 ? first : "";
}
