/** The part of a memory that is offered. Without folders, the whole memory is offered. */
export interface ShareTerms {
  /** The folders of files that are offered. */
  folders?: string[] | undefined;
  /** Whether conversations are offered too. Possible only when the whole memory is offered. */
  sessions?: boolean | undefined;
}

/** A memory that one agent offers to another. */
export interface Share {
  /** The agent on the other side. */
  agentId: string;
  /** The folders that are offered; empty: the whole memory. */
  folders: string[];
  sessions: boolean;
  offeredAt: string;
  /** The time at which the reader took the offer; null: it is offered and not read. */
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

/** An agent that was made as a copy of another agent's memory. */
export interface Branch {
  agentId: string;
  /** The id of the agent that the branch was made of; null: that agent was erased. */
  origin: string | null;
  /** `copying`: the new agent cannot be found yet. */
  state: "copying" | "ready";
  /** The time of the origin's state that was copied. */
  branchedAt: string | null;
  copied: number;
  total: number;
}

export interface BranchInput {
  /** The new agent's id. */
  as: string;
  name?: string | undefined;
  /**
   * An ISO 8601 time. The branch gets the files and facts of that time, or of the snapshot if
   * `snapshot` names one.
   */
  at?: string | undefined;
  snapshot?: string | undefined;
}

/**
 * The change that an agent made since both agents had the same content. If the agents have no
 * common past, the first agent's content is compared with the other's.
 */
export type ChangeSince = "none" | "added" | "changed" | "deleted";

export interface FileDifference {
  path: string;
  here: ChangeSince;
  there: ChangeSince;
  /** Whether both agents have changed the file. */
  conflict: boolean;
}

/** The difference in the facts of one key and scope, or of one text and scope. */
export interface FactDifference {
  /** The text that was learnt last. */
  text: string;
  key: string | null;
  here: ChangeSince;
  there: ChangeSince;
  conflict: boolean;
}

export interface AgentDiff {
  agentId: string;
  otherId: string;
  /** The time at which one agent was made of the other; null when neither was made of the other. */
  since: string | null;
  files: FileDifference[];
  facts: FactDifference[];
  counts: { files: number; facts: number };
}

export interface MergeInput {
  into: string;
  dryRun?: boolean | undefined;
  /**
   * The side whose change wins in a conflict. Without it, a conflict stops the merge and nothing is
   * merged.
   */
  prefer?: "branch" | "target" | undefined;
}

export interface MergedBranch {
  agentId: string;
  into: string;
  /** Whether the changes were merged; false in a dry run. */
  merged: boolean;
  files: FileDifference[];
  facts: FactDifference[];
  conflicts: number;
}
