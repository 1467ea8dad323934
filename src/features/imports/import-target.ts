import type { AgentClient } from "../../client/agent-client.ts";
import type { AppendInput } from "../../client/client.ts";

/** The destination and the options of an import. */
export interface ImportTarget {
  memory: AgentClient;
  dryRun: boolean;
  /**
   * Whether facts are captured from messages as the agent's settings say; false: none are captured.
   */
  captures: boolean;
  /** The scope of facts whose source names no scope; default: everybody. */
  scope: AppendInput["scope"];
  /** The folder for imported files in the memory, with a trailing slash; empty for the top. */
  prefix: string;
  maxFileBytes: number;
  /** The name that marks files as the source's own. */
  origin: string;
  /** In a dry run, the instant from which messages would be kept. */
  keptSince: string | undefined;
}
