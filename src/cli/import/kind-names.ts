/** What can be imported, in few words. It stands apart from the readers, so that the help of every command loads none of them. */
export const KIND_NAMES = {
  chatgpt: "ChatGPT's data export",
  claude: "the data export of claude.ai",
  "claude-code": "Claude Code's projects: transcripts, CLAUDE.md, memory/*.md",
  "mcp-memory": "the memory.jsonl of the reference MCP memory server",
  mem0: "mem0: what get_all answers, as JSON",
  openclaw: "an OpenClaw workspace: MEMORY.md, memory/*.md, sessions",
  "basic-memory": "a folder of Basic Memory: Markdown with observations and relations",
} as const;

export type KindName = keyof typeof KIND_NAMES;
