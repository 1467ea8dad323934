import { type RequesterOptions, requesterOf } from "../../../src/cli/sessions/openclaw-requester.ts";
import type { TranscriptSdk } from "./host.ts";
import type { FileSync, SyncedFiles } from "./sync-files.ts";
import { sessionsOf, type TranscriptSync } from "./transcripts.ts";

/** The outcome of a sync of everything that an agent has. */
export interface SyncedAgent {
  files: SyncedFiles;
  conversations: { seen: number; messages: number };
  problems: string[];
}

export interface SyncAgentOptions {
  /** The folder of the agent's workspace; undefined: no files are synced. */
  workspace: string | undefined;
  files: FileSync;
  /** Undefined: no conversations are synced. */
  transcripts: TranscriptSync | undefined;
  sdk: TranscriptSdk | undefined;
  requesters: RequesterOptions;
  progress?(done: number, total: number, label: string): void;
}

/** A whole sync may take long. No turn waits for it. */
const LIMIT_MS = 120_000;

/** Sends all files and conversations of an agent that the server does not have yet. Never rejects. */
export async function syncAgent(agentId: string, options: SyncAgentOptions): Promise<SyncedAgent> {
  const { workspace, files, transcripts, sdk, requesters, progress } = options;
  const none: SyncedFiles = { files: 0, sent: 0, removed: 0 };
  const synced = workspace === undefined ? none : await files.sync(agentId, workspace);
  const problems = synced.problem === undefined ? [] : [synced.problem];
  const sessions = transcripts && sdk ? sessionsOf(sdk, agentId) : [];
  const conversations = { seen: 0, messages: 0 };
  for (const [index, { sessionKey, sessionId }] of sessions.entries()) {
    progress?.(index, sessions.length, sessionKey);
    const requester = requesterOf(sessionKey, requesters);
    if (!requester.isKept || problems.length > 0) continue;
    const sent = await transcripts?.send({ agentId, sessionKey, sessionId, requester }, { limitMs: LIMIT_MS });
    conversations.seen += 1;
    conversations.messages += sent?.sent ?? 0;
    // The conversations after this one would only wait for the same server.
    if (sent?.problem !== undefined) problems.push(sent.problem);
  }
  return { files: synced, conversations, problems };
}
