/**
 * The parts of OpenClaw's plugin interface that the plugin uses. The interface is experimental, so
 * everything that a version may lack is optional, and a part is used only if it is there. A test
 * compares these types with the types of the OpenClaw that package.json pins.
 */
import type { SessionEntry } from "../../../src/cli/sessions/openclaw-requester.ts";
import type { OriginClass } from "./origin.ts";

/** The object that OpenClaw gives to `register`. */
export interface Host {
  readonly pluginConfig?: Readonly<Record<string, unknown>> | undefined;
  readonly config?: HostConfig | undefined;
  readonly logger: { warn(message: string): void; info(message: string): void };
  registerTool(tool: (context: ToolContext) => HostTool, options?: { names?: string[] }): void;
  registerMemoryCapability?(capability: MemoryCapability): void;
  registerService?(service: { id: string; start(): void | Promise<void>; stop?(): void | Promise<void> }): void;
  registerCli?(
    registrar: (context: { program: unknown; config?: HostConfig | undefined }) => void,
    options: { commands: string[] },
  ): void;
  on?(hook: string, handler: (event: never, context: TurnContext) => unknown, options?: { timeoutMs?: number }): void;
}

/** The parts of OpenClaw's configuration that the plugin reads. */
export interface HostConfig {
  readonly session?: { readonly mainKey?: string | undefined } | undefined;
  readonly agents?: Readonly<Record<string, unknown>> | undefined;
}

/** The turn in which a tool is called. */
export interface ToolContext {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly workspaceDir?: string | undefined;
  readonly senderIsOwner?: boolean | undefined;
}

/** The turn of a hook. */
export interface TurnContext {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly workspaceDir?: string | undefined;
  readonly trigger?: string | undefined;
}

/** A tool in the form that OpenClaw takes. */
export interface HostTool {
  name: string;
  label: string;
  description: string;
  parameters: Readonly<Record<string, unknown>>;
  /** Keeps the tool in the model's list. Otherwise OpenClaw hides it behind its tool search. */
  catalogMode?: "direct-only";
  execute(callId: string, input: unknown): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  content: { type: "text"; text: string }[];
  details: unknown;
}

/** A hit in the form of OpenClaw's own search. */
export interface HostHit {
  path: string;
  startLine: number;
  endLine: number;
  score: number;
  vectorScore?: number;
  textScore?: number;
  snippet: string;
  source: "memory" | "sessions";
  citation?: string;
  provenance?: {
    originClass: OriginClass;
    sessionKind: "interactive" | "cron" | "heartbeat" | "subagent" | "unknown";
    observedAt: number;
  };
}

export type HostRead =
  | {
      status: "ok";
      text: string;
      path: string;
      truncated?: boolean;
      from?: number;
      lines?: number;
      nextFrom?: number;
    }
  | { status: "not_found"; text: ""; path: string };

/** OpenClaw's view of the index of one agent. `status` must answer at once. */
export interface SearchManager {
  search(
    query: string,
    options?: {
      maxResults?: number;
      minScore?: number;
      sessionKey?: string;
      sources?: readonly ("memory" | "sessions")[];
      signal?: AbortSignal;
    },
  ): Promise<HostHit[]>;
  readFile(where: { relPath: string; from?: number; lines?: number }): Promise<HostRead>;
  status(): Readonly<Record<string, unknown>> & { backend: "builtin"; provider: string };
  sync(options?: { progress?: (update: { completed: number; total: number; label?: string }) => void }): Promise<void>;
  probeEmbeddingAvailability(): Promise<{ ok: boolean; error?: string }>;
  probeVectorAvailability(): Promise<boolean>;
}

/** The memory slot. */
export interface MemoryCapability {
  promptBuilder?(turn: { availableTools: Set<string>; citationsMode?: "auto" | "on" | "off" }): string[];
  deterministicRecallToolName?: string;
  runtime?: {
    getMemorySearchManager(request: {
      agentId: string;
      cfg: HostConfig;
    }): Promise<{ manager: SearchManager | null; error?: string }>;
    resolveMemoryBackendConfig(request: unknown): { backend: "builtin" };
    authorizeSearchHits?(request: {
      agentId: string;
      requesterSessionKey: string | undefined;
      cfg: HostConfig;
      hits: HostHit[];
    }): Promise<HostHit[]>;
    classifyWorkspaceMemoryPaths?(request: {
      relativePaths: string[];
    }): Promise<{ relativePath: string; originClass: OriginClass }[]>;
  };
}

/** A message of a transcript as OpenClaw's SDK gives it. */
export interface TranscriptEntry {
  readonly entryId?: unknown;
  readonly role?: unknown;
  readonly createdAt?: unknown;
  readonly message?: unknown;
}

/** The functions of OpenClaw's SDK that read conversations. */
export interface TranscriptSdk {
  readEntries(where: { agentId: string; sessionKey: string; sessionId: string }): Promise<readonly TranscriptEntry[]>;
  listSessions(agentId: string): readonly SessionEntry[];
}
