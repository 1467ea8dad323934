import type { RemoteOptions } from "../shell/context.ts";

export interface IngestOptions extends RemoteOptions {
  paths?: string[];
  dryRun?: boolean;
  wait: boolean;
}

/** The contract's, for a folder; the agent's own files go by its settings. */
export const DEFAULT_PATHS = ["skills/**/*.md", "TOOLS.md", "AGENTS.md"];
