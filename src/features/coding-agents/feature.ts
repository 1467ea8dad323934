import type { Feature } from "../feature.ts";
import { addHook } from "./commands.ts";

/** Memory for coding agents (Claude Code, Codex), which call it through their hooks. */
export const codingAgents: Feature = {
  name: "coding-agents",
  addCommands: addHook,
  loadService: async () => ({ routes: (await import("./routes.ts")).codingAgentRoutes }),
};
