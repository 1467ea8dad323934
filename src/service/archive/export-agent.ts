import { pipeline, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createGzip } from "node:zlib";
import { authoriseAgent } from "../../agents/access.ts";
import { AppError } from "../../base/errors.ts";
import {
  factsForArchive,
  filesForArchive,
  hasDocuments,
  messagesForArchive,
  supersessionsForArchive,
  vectorsForArchive,
} from "../../db/agent/archive/archive-read.ts";
import type { FactRow } from "../../db/agent/facts/facts.ts";
import { listOrigins } from "../../db/agent/files/files.ts";
import { listSessions } from "../../db/agent/sessions/sessions.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import { activeGeneration, type Generation } from "../../db/agent/space/generations.ts";
import { lookUpAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { decodeVector } from "../../db/vector-codec.ts";
import { findAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveCounts,
  MAX_LINKS,
  MAX_MESSAGES,
  MAX_VECTORS,
  NO_COUNTS,
  OLDER_VERSION,
  type WrittenLine,
} from "./archive-format.ts";

const PAGE = { limit: 100, maxBytes: 4_000_000 };
const PAGE_ROWS = 500;

type Lines = AsyncGenerator<WrittenLine>;
/** Reads a page in its own transaction, so that none stays open while a slow client reads. */
type Read = <T>(fn: (tx: AgentTransaction) => Promise<T>) => Promise<T>;

/**
 * Exports an agent's memory as an archive (docs/ARCHIVE.md): gzipped JSON lines, made page by page as the client reads.
 * Concurrent writes may or may not be included; every entry is complete. Secrets in settings and files of the server's
 * folders are left out.
 *
 * @param options.vectors whether embeddings are included
 * @throws AppError as `findAgent`; the stream is destroyed when something goes wrong later, so that the archive has no end
 */
export async function exportAgent(
  deps: Deps,
  caller: Caller,
  agentId: string,
  options: { vectors: boolean; service: string },
): Promise<ReadableStream<Uint8Array>> {
  authoriseAgent(caller, "tenant", agentId);
  const { agent } = await findAgent(deps, caller, "tenant", agentId);
  const row = (await lookUpAgent(deps.db, caller.tenantId, agentId))?.agent;
  const read: Read | undefined = agent && ((fn) => withAgentTransaction(deps.db, agent, fn));
  const generation = options.vectors && read ? await read((tx) => activeGeneration(tx, tx.schema)) : undefined;
  const hasOrigins = read !== undefined && (await read((tx) => listOrigins(tx, tx.schema, 1))).length > 0;
  const { provider = "", model = "", dimensions = null } = generation ?? {};
  const separation = Object.keys(generation?.separation ?? {}).length > 0 ? generation?.separation : undefined;
  const hasOriginals = read !== undefined && (await read((tx) => hasDocuments(tx, tx.schema)));
  const oldest = hasOrigins ? OLDER_VERSION.withOrigins : OLDER_VERSION.without;
  const older = separation ? OLDER_VERSION.withSeparation : oldest;
  const version = hasOriginals ? ARCHIVE_VERSION : older;
  const now = deps.clock();
  const header: WrittenLine = {
    ...{ type: "header", format: ARCHIVE_FORMAT, version, service: options.service },
    exportedAt: now.toISOString(),
    agent: {
      ...{ id: agentId, name: row?.name ?? "", settings: withoutSecrets(row?.settings ?? {}) },
      limits: row?.limits ?? {},
    },
    vectors: dimensions === null ? null : { provider, model, dimensions, ...(separation ? { separation } : {}) },
  };
  const audit = { at: now, actor: caller.actor, action: "agent.export", target: agentId };
  await insertAudit(deps.db, { tenantId: caller.tenantId, ...audit, details: { vectors: dimensions !== null } });
  return pack(
    deps,
    agent,
    writeAll(header, read, {
      has: { origins: hasOrigins, originals: hasOriginals },
      generation: dimensions === null ? undefined : generation,
    }),
  );
}

function pack(deps: Deps, agent: KnownAgent | undefined, lines: Lines): ReadableStream<Uint8Array> {
  async function* texts() {
    try {
      for await (const line of lines) yield `${JSON.stringify(line)}\n`;
    } catch (error) {
      const code = error instanceof AppError ? error.code : "internal";
      deps.logger.error({ agentId: agent?.agentId, code }, "an export ended early");
      throw error;
    }
  }
  const gzip = createGzip();
  // The reader gets the error.
  pipeline(Readable.from(texts(), { objectMode: false, highWaterMark: 65_536 }), gzip, () => undefined);
  return Readable.toWeb(gzip) as ReadableStream<Uint8Array>;
}

/** Secrets can no longer be stored with an agent. This covers old ones, as an archive leaves the operator's control. */
function withoutSecrets(settings: Record<string, unknown>): Record<string, unknown> {
  if (typeof settings.remote !== "object" || settings.remote === null) return settings;
  const { apiKey: _, headers: __, ...remote } = settings.remote as Record<string, unknown>;
  return { ...settings, remote };
}

/** What the archive's version has of a file besides its text. */
interface Has {
  origins: boolean;
  originals: boolean;
}

async function* writeAll(
  header: WrittenLine,
  read: Read | undefined,
  { has, generation }: { has: Has; generation: Generation | undefined },
): Lines {
  yield header;
  const counts: ArchiveCounts = { ...NO_COUNTS };
  if (read) {
    yield* files(read, counts, has);
    yield* sessions(read, counts);
    yield* facts(read, counts);
    if (generation) yield* vectors(read, counts, generation);
  }
  yield { type: "end", ...counts };
}

async function* files(read: Read, counts: ArchiveCounts, has: Has): Lines {
  for (let after = ""; ; ) {
    const page = await read((tx) => filesForArchive(tx, tx.schema, after, PAGE));
    for (const { path, content, mtime, origin, original } of page) {
      const from = {
        ...(has.origins && origin !== null ? { origin } : {}),
        ...(has.originals && original ? { original } : {}),
      };
      yield { type: "file", path, content, mtime: mtime.toISOString(), ...from };
    }
    counts.files += page.length;
    const last = page.at(-1);
    if (!last) return;
    after = last.path;
  }
}

async function* sessions(read: Read, counts: ArchiveCounts): Lines {
  let lastSession = 0n;
  for (let after = ""; ; ) {
    const page = await read((tx) => listSessions(tx, tx.schema, { prefix: "", after, limit: PAGE_ROWS }));
    for (const { id, key, lastSeq, lastLine, removed } of page) {
      if (BigInt(id) > lastSession) lastSession = BigInt(id);
      yield { type: "session", key, lastSeq, lastLine, removed };
    }
    counts.sessions += page.length;
    const last = page.at(-1);
    if (!last) break;
    after = last.key;
  }
  // Excludes messages of sessions that were created since.
  const range = { afterSession: "0", afterSeq: 0, lastSession: String(lastSession) };
  for (;;) {
    const page = await read((tx) => messagesForArchive(tx, tx.schema, range, { ...PAGE, limit: MAX_MESSAGES }));
    for (const messages of Map.groupBy(page, (row) => row.session).values()) {
      const [{ session } = { session: "" }] = messages;
      yield { type: "messages", session, messages: messages.map(writtenMessage) };
    }
    counts.messages += page.length;
    const last = page.at(-1);
    if (!last) return;
    [range.afterSession, range.afterSeq] = [last.sessionId, last.seq];
  }
}

function writtenMessage({ sessionId: _, session: __, ...row }: Awaited<ReturnType<typeof messagesForArchive>>[number]) {
  return { ...row, at: row.at.toISOString(), storedAt: row.storedAt.toISOString() };
}

async function* facts(read: Read, counts: ArchiveCounts): Lines {
  for (let afterId = "0"; ; ) {
    const page = await read((tx) => factsForArchive(tx, tx.schema, afterId, PAGE_ROWS));
    for (const row of page) yield writtenFact(row);
    counts.facts += page.length;
    const last = page.at(-1);
    if (!last) break;
    afterId = last.id;
  }
  for (let afterId = "0"; ; ) {
    const links = await read((tx) => supersessionsForArchive(tx, tx.schema, afterId, MAX_LINKS));
    const last = links.at(-1);
    if (!last) return;
    yield { type: "supersessions", links };
    afterId = last.id;
  }
}

function writtenFact({ user, agent, session, supersededBy: _, ...row }: FactRow): WrittenLine {
  return {
    type: "fact",
    ...row,
    scope: { user, agent, session },
    tags: [...row.tags],
    validFrom: row.validFrom.toISOString(),
    validTo: row.validTo?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    confirmedAt: row.confirmedAt.toISOString(),
  };
}

async function* vectors(read: Read, counts: ArchiveCounts, generation: Generation): Lines {
  for (let afterId = "0"; ; ) {
    const page = await read(async (tx) => {
      // Vectors of another model would look like this one's.
      if ((await activeGeneration(tx, tx.schema))?.id !== generation.id)
        throw new AppError(
          "database_unavailable",
          "The agent's index was replaced during the export. Export it again.",
        );
      return vectorsForArchive(tx, tx.schema, generation.id, afterId, MAX_VECTORS);
    });
    const last = page.at(-1);
    if (!last) return;
    const embeddings = page.map(({ hash, embedding }) => ({ hash, embedding: littleEndian(embedding) }));
    yield { type: "vectors", vectors: embeddings };
    counts.vectors += page.length;
    afterId = last.id;
  }
}

/** Base64 of 32-bit floats, least significant byte first, as most languages read them. */
function littleEndian(embedding: string): string {
  const vector = decodeVector(embedding);
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}
