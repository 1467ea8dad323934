import type { Feature } from "../feature.ts";

/** Anthropic's memory tool (`memory_20250818`) on an agent's files. */
export const anthropicTool: Feature = {
  name: "anthropic-tool",
  loadService: async () => ({ routes: (await import("./routes.ts")).anthropicToolRoutes }),
};
