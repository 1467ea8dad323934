import { createHash } from "node:crypto";

/** The folder of documents in an agent's memory. No evaluation puts a file elsewhere. */
export const FOLDER = "corpus/";
/**
 * The longest name of a document's file. A segment of a path has at most 255 bytes, including the
 * ending.
 */
const MOST_NAME_BYTES = 240;

/**
 * Returns the path of a document: its id with every byte outside `A-Z a-z 0-9 _ -` and `.` written
 * `~hh`. The path is safe (no slash, no dot segment) and readable, and no two ids share one: `~`
 * itself is written `~7e`, and only an id too long for a file name begins with `~~`, followed by
 * its SHA-256.
 */
export function documentPath(id: string): string {
  const name = Buffer.from(id)
    .toString("latin1")
    .replace(/[^A-Za-z0-9_.-]/g, (byte) => `~${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  const fits = name.length <= MOST_NAME_BYTES;
  return `${FOLDER}${fits ? name : `~~${createHash("sha256").update(id).digest("hex")}`}.md`;
}

const MOST_AGENT_ID_CHARS = 63;

/**
 * Returns the id of the agent that holds the documents of one scope: `eval-<name>-<scope>`, without
 * the last part when the scope is empty. If that is not a legal agent id, returns the nearest legal
 * id with eight digits of a hash, so that two scopes stay two agents.
 */
export function evalAgentId(name: string, scope: string): string {
  const plain = ["eval", name, ...(scope === "" ? [] : [scope])].join("-");
  if (/^[a-z0-9_-]+$/.test(plain) && plain.length <= MOST_AGENT_ID_CHARS) return plain;
  const hash = createHash("sha256").update(`${name}\0${scope}`).digest("hex").slice(0, 8);
  const legal = plain
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, MOST_AGENT_ID_CHARS - 9);
  return `${legal.replace(/-+$/, "")}-${hash}`;
}
