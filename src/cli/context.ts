import type { ErrorCode } from "../base/errors.ts";
import type { MemoryAccess } from "../service/memory-access.ts";

/** The API, over the network or in this process. */
export interface Connection {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
  /** What it is, for the user. */
  description: string;
}

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** What a command needs of the process around it. */
export interface CliContext {
  connect(options: { url?: string; tenant?: string }): Promise<Connection>;
  serve(options: { host?: string; port?: number; worker: boolean }): Promise<number>;
  work(): Promise<number>;
  start(): Promise<number>;
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
  colour: boolean;
}

/** Options of every command that talks to the API. */
export interface RemoteOptions {
  agent: string;
  url?: string;
  json?: boolean;
}
