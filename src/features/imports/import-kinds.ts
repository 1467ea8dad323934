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
    name: "codex",
    about: "Codex's conversations: sessions/**/rollout-*.jsonl",
    load: async () => (await import("./codex.ts")).codex,
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
    name: "openmemory",
    about: "OpenMemory's backup, a ZIP archive",
    load: async () => (await import("./mem0.ts")).mem0,
  },
  {
    name: "zep",
    about: "Zep and Graphiti: edges, nodes and episodes as JSON",
    load: async () => (await import("./zep.ts")).zep,
  },
  {
    name: "letta",
    about: "Letta's agent file (.af)",
    load: async () => (await import("./letta.ts")).letta,
  },
  {
    name: "hindsight",
    about: "the export of a Hindsight bank",
    load: async () => (await import("./hindsight.ts")).hindsight,
  },
  {
    name: "honcho",
    about: "Honcho: messages and conclusions as JSON",
    load: async () => (await import("./honcho.ts")).honcho,
  },
  {
    name: "langgraph",
    about: "a LangGraph store, such as LangMem fills, as JSON",
    load: async () => (await import("./langgraph.ts")).langgraph,
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
