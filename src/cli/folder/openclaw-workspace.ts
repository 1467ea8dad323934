import { readdir } from "node:fs/promises";

/** The files by which an OpenClaw workspace is recognised, and the files of its memory. */
const PERSONA = ["SOUL.md", "IDENTITY.md", "BOOTSTRAP.md"];
const MEMORY = ["MEMORY.md", "memory.md", "USER.md", "memory"];

/** Patterns, as in .gitignore, that leave the files that OpenClaw itself indexes. */
const ONLY_MEMORY = ["/*", "!/MEMORY.md", "!/memory.md", "!/USER.md", "!/memory/"];

/** Says what a command does with an OpenClaw workspace. */
export const WORKSPACE_NOTE =
  "This is an OpenClaw workspace: MEMORY.md, USER.md and memory/ are sent, as OpenClaw indexes them. --all-files sends the rest too.\n";

/**
 * Returns the patterns for an OpenClaw workspace; none for any other folder. The other files of a
 * workspace instruct the agent. Each turn has them already, and a search that finds them finds
 * fewer memories.
 */
export async function workspacePatterns(root: string): Promise<string[]> {
  const names = new Set(await readdir(root).catch(() => []));
  const isWorkspace = PERSONA.some((name) => names.has(name)) && MEMORY.some((name) => names.has(name));
  return isWorkspace ? ONLY_MEMORY : [];
}
