import type { SessionEntry } from "../../../src/cli/sessions/openclaw-requester.ts";
import type { TranscriptEntry, TranscriptSdk } from "./host.ts";
import { objectOf } from "./origin.ts";

/**
 * Returns the functions of OpenClaw's SDK that read conversations; undefined if this version lets
 * plugins not read them. The turn's own messages are then all that a plugin has.
 */
export async function loadTranscriptSdk(): Promise<TranscriptSdk | undefined> {
  const [transcripts, sessions] = await Promise.all([
    load("openclaw/plugin-sdk/session-transcript-runtime"),
    load("openclaw/plugin-sdk/session-store-runtime"),
  ]);
  const read = transcripts.readVisibleSessionTranscriptMessageEntries;
  const list = sessions.listSessionEntries;
  if (typeof read !== "function") return undefined;
  return {
    readEntries: async (where) => {
      const entries: unknown = await read(where);
      return Array.isArray(entries) ? (entries as TranscriptEntry[]) : [];
    },
    listSessions: (agentId) => {
      const entries: unknown = typeof list === "function" ? list({ agentId, readOnly: true }) : [];
      return Array.isArray(entries) ? entries.flatMap(sessionOf) : [];
    },
  };
}

/**
 * Returns the function that returns OpenClaw's entry of a session. It returns undefined for every
 * session if this version has no such entries.
 *
 * @param runtime returns OpenClaw's helpers for plugins
 */
export function sessionFinder(runtime: () => unknown): (sessionKey: string) => SessionEntry | undefined {
  return (sessionKey) => {
    const { session } = objectOf(objectOf(runtime()).agent);
    const { getSessionEntry } = objectOf(session);
    if (typeof getSessionEntry !== "function") return undefined;
    const agentId = /^agent:([^:]+):/.exec(sessionKey)?.[1];
    try {
      const entry: unknown = getSessionEntry({ sessionKey, ...(agentId === undefined ? {} : { agentId }) });
      return sessionOf({ sessionKey, entry })[0];
    } catch {
      // A session of an agent that no longer exists.
      return undefined;
    }
  };
}

function sessionOf(listed: unknown): SessionEntry[] {
  const { sessionKey, entry } = objectOf(listed);
  const { sessionId, chatType, spawnedBy } = objectOf(entry);
  const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const key = textOf(sessionKey);
  if (key === undefined || textOf(sessionId) === undefined) return [];
  return [{ sessionKey: key, sessionId: textOf(sessionId), chatType: textOf(chatType), spawnedBy: textOf(spawnedBy) }];
}

async function load(name: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return objectOf(await import(name));
  } catch {
    return {};
  }
}
