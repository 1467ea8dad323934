import type { RemoteOptions } from "../../cli/shell/context.ts";

export interface IngestOptions extends RemoteOptions {
  paths?: string[];
  dryRun?: boolean;
  wait: boolean;
}

/** The contract's default globs for a folder. The agent's own files are chosen by its settings. */
export const DEFAULT_PATHS = ["skills/**/*.md", "TOOLS.md", "AGENTS.md"];
