import type { AgentClient } from "../../client/agent-client.ts";
import type { AppendInput } from "../../client/client.ts";

/** Where an import goes, and how. */
export interface ImportTarget {
  memory: AgentClient;
  dryRun: boolean;
  /** false: nothing is captured; else as the agent's settings say. */
  captures: boolean;
  /** Whom facts are for that do not say it themselves; everybody without it. */
  scope: AppendInput["scope"];
  /** The place of files in the memory, with a trailing slash; empty for the top. */
  prefix: string;
  maxFileBytes: number;
  /** The name by which files are the source's own. */
  origin: string;
  /** Of a dry run: messages from before this instant would not be kept. */
  keptSince: string | undefined;
}
