import type { ErrorCode } from "../../base/errors.ts";
import type { ProfileStore } from "../../config/profiles.ts";
import type { Finding } from "../../service/doctor/finding.ts";
import type { MemoryAccess } from "../../service/tools/memory-access.ts";

/** The API, over the network or in this process. */
export interface Connection {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
  /** What it is, for the user. */
  description: string;
  /** Whether it presents a key, which may be for one agent only. */
  keyed?: boolean;
}

export interface Output {
  /** False when it is full; `once` says when there is room again. */
  write(data: string | Uint8Array): unknown;
  once?(event: "drain", go: () => void): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Which API is meant. */
export interface ConnectOptions {
  url?: string | undefined;
  profile?: string | undefined;
  /** The command asks for little and ends. Without it, it may go on for long: it watches, or brings many files. */
  brief?: boolean | undefined;
}

/** What a command needs of the process around it. */
export interface CliContext {
  connect(options: ConnectOptions): Promise<Connection>;
  profiles: ProfileStore;
  serve(options: ServeOptions): Promise<number>;
  work(options: { json?: boolean }): Promise<number>;
  migrate(options: { roles: boolean }): Promise<number>;
  /** Does a task on the servers of a cluster. @param say takes each step as it begins */
  cluster(task: ClusterTask, say: (step: string) => void): Promise<ClusterReport>;
  /** Puts an agent's memory back from a dump of the database. */
  restoreAgent(task: RestoreTask): Promise<RestoreReport>;
  start(): Promise<number>;
  /** Looks at what commands would use, and changes nothing. */
  diagnose(options: ConnectOptions): Promise<Diagnosis>;
  /** Serves a memory by the Model Context Protocol on standard input and output; resolves when the client ends it. */
  serveMcp(
    memory: MemoryAccess,
    options: { explain(error: unknown): { code: ErrorCode; text: string }; signal: AbortSignal },
  ): Promise<void>;
  /** Aborted when the user wants a command that runs on to stop; from the call on, Ctrl-C no longer ends the process. */
  stopping(): AbortSignal;
  stdout: Output;
  stderr: Output;
  cwd: string;
  version: string;
  /** Whether standard output takes colour, and standard error. */
  colour: boolean;
  errorColour: boolean;
  /** Asks the person at the terminal; undefined where there is none. `hidden` answers are not shown. */
  ask?: ((question: string, options?: { hidden?: boolean }) => Promise<string>) | undefined;
  /** All of standard input, for what is piped in. */
  readInput(): Promise<string>;
}

/** A server of a cluster. */
export interface ClusterNode {
  host: string;
  port: number;
}

/** What is to be done on a cluster. */
export type ClusterTask =
  | { do: "init"; nodes: ClusterNode[]; coordinator?: ClusterNode | undefined }
  | { do: "add-node"; node: ClusterNode; reserved: boolean }
  | { do: "move"; agent: string; tenant?: string | undefined; node: ClusterNode }
  | { do: "rebalance" | "stop-rebalance" | "status" };

/** The agent to restore. `from` is the file of a dump; `-` is standard input. */
export interface RestoreTask {
  agent: string;
  tenant?: string | undefined;
  from: string;
}

/** A restored agent. */
export interface RestoreReport {
  agent: string;
  schemaVersion: number;
  /** Whether it answers now, as it did before. */
  enabled: boolean;
}

/** How a cluster is afterwards. */
export interface ClusterReport {
  version: string;
  workers: (ClusterNode & { agents: number; bytes: number; takesAgents: boolean; away?: string })[];
  /** The rebalancing that is under way. */
  rebalance?: { state: string; done: number; total: number };
}

/** What was found on this machine, and the server to ask further, if commands would talk to one. */
export interface Diagnosis {
  findings: Finding[];
  server?: Connection;
}

export interface ServeOptions {
  host?: string;
  port?: number;
  worker: boolean;
  /** Says on standard output where it listens. */
  json?: boolean;
}

/** Options of every administrative command. */
export interface AdminOptions {
  url?: string;
  profile?: string;
  /** By its name or id. */
  tenant?: string;
  json?: boolean;
}

/** Options of every command about one agent's memory. */
export interface RemoteOptions {
  /** Without it, that of a key that is for one agent; else `main`. */
  agent?: string;
  url?: string;
  profile?: string;
  json?: boolean;
}
