import type { ImportKind } from "./import-kind.ts";

interface ListedKind {
  name: string;
  /** A short description of the kind. */
  about: string;
  load(): Promise<ImportKind>;
}

/**
 * The kinds of sources that can be imported. Every command loads this table for its help, so the
 * module that reads a kind is loaded only when it is used.
 */
export const IMPORT_KINDS: readonly ListedKind[] = [
  {
    name: "chatgpt",
    about: "ChatGPT's data export",
    load: async () => (await import("./chatgpt.ts")).chatgpt,
  },
  {
    name: "claude",
    about: "the data export of claude.ai",
    load: async () => (await import("./claude.ts")).claude,
  },
  {
    name: "claude-code",
    about: "Claude Code's projects: transcripts, CLAUDE.md, memory/*.md",
    load: async () => (await import("./claude-code.ts")).claudeCode,
  },
  {
    name: "mcp-memory",
    about: "the memory.jsonl of the reference MCP memory server",
    load: async () => (await import("./mcp-memory.ts")).mcpMemory,
  },
  {
    name: "mem0",
    about: "mem0: what get_all answers, as JSON",
    load: async () => (await import("./mem0.ts")).mem0,
  },
  {
    name: "openclaw",
    about: "an OpenClaw workspace: MEMORY.md, memory/*.md, sessions",
    load: async () => (await import("./openclaw.ts")).openclaw,
  },
  {
    name: "basic-memory",
    about: "a folder of Basic Memory: Markdown with observations and relations",
    load: async () => (await import("./basic-memory.ts")).basicMemory,
  },
];
