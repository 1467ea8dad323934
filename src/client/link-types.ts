/** What of a memory is offered; without folders all of it. */
export interface ShareTerms {
  /** Folders of files. */
  folders?: string[] | undefined;
  /** Conversations too; only with all of the memory. */
  sessions?: boolean | undefined;
}

/** A memory that one agent offers to another. */
export interface Share {
  /** The agent on the other side. */
  agentId: string;
  /** Empty: all of the memory. */
  folders: string[];
  sessions: boolean;
  offeredAt: string;
  /** null: offered, and not read. */
  takenAt: string | null;
}

export interface ShareList {
  shares: Share[];
}

export interface WithdrawnShare {
  withdrawn: true;
}

export interface LeftShare {
  left: true;
}

/** An agent that was made of another's memory. */
export interface Branch {
  agentId: string;
  /** null: it was erased. */
  origin: string | null;
  /** `copying`: nobody finds the agent yet. */
  state: "copying" | "ready";
  /** The moment of the origin that it has. */
  branchedAt: string | null;
  copied: number;
  total: number;
}

export interface BranchInput {
  /** The new agent's id. */
  as: string;
  name?: string | undefined;
  /** Its files and facts are as of that time, an ISO 8601 time; or of a snapshot. */
  at?: string | undefined;
  snapshot?: string | undefined;
}

/** What an agent has done since both were alike; of agents without a common past what the first has in place of the other. */
export type ChangeSince = "none" | "added" | "changed" | "deleted";

export interface FileDifference {
  path: string;
  here: ChangeSince;
  there: ChangeSince;
  /** Both have changed it. */
  conflict: boolean;
}

/** The facts of one key and scope, or of one text and scope. */
export interface FactDifference {
  /** What was learnt last of it. */
  text: string;
  key: string | null;
  here: ChangeSince;
  there: ChangeSince;
  conflict: boolean;
}

export interface AgentDiff {
  agentId: string;
  otherId: string;
  /** When the one was made of the other; null: it was not. */
  since: string | null;
  files: FileDifference[];
  facts: FactDifference[];
  counts: { files: number; facts: number };
}

export interface MergeInput {
  into: string;
  dryRun?: boolean | undefined;
  /** Whose change counts where both have one; without it nothing is merged then. */
  prefer?: "branch" | "target" | undefined;
}

export interface MergedBranch {
  agentId: string;
  into: string;
  /** False: a dry run. */
  merged: boolean;
  files: FileDifference[];
  facts: FactDifference[];
  conflicts: number;
}
