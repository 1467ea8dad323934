import { createYielder } from "../../base/cooperative-yield.ts";
import type { FactSource } from "../../db/agent/facts/facts.ts";
import { normaliseSubject } from "../../db/agent/facts/subject.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration, textLanguages } from "../../db/agent/schema/generations.ts";
import { touchImport } from "../../db/control/agents.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import { factHash, normaliseFact } from "../../ingest/fact-text.ts";
import { normaliseMessage, renderMessage } from "../../ingest/session-windows.ts";
import { agentGone } from "../../service/core/known-agent.ts";
import { takeQuota } from "../../service/core/quota.ts";
import { requireNoFile } from "../../service/files/session-paths.ts";
import { replaceChunks } from "../../service/files/store-chunks.ts";
import { writeChecked } from "../../service/files/write-files.ts";
import { MAX_BINDINGS } from "../../settings/bindings.ts";
import { checkMemoryPath, requireSessionName } from "../../settings/memory-path.ts";
import { type ArchiveCounts, type ArchiveLine, type LineOf, NO_COUNTS } from "./archive-format.ts";
import { invalid } from "./parse-line.ts";
import {
  requireFew,
  requireFilePath,
  storeFactChanges,
  storeNumbers,
  storePieces,
  storeSnapshots,
  storeVersions,
} from "./restore-history.ts";
import { type Restore, stageVectors } from "./restore-vectors.ts";
import {
  type FactRestore,
  type MessageRestore,
  restoreFacts,
  restoreMessages,
  restoreSessions,
  restoreSupersessions,
} from "./sql/archive-write.ts";

/** The most lines of one transaction, and roughly the most characters. */
const BATCH_LINES = 100;
const BATCH_CHARS = 2_000_000;
/**
 * The most batches of one kind that are stored at the same time. While Postgres stores one, this
 * process prepares the next.
 */
const BATCHES_AT_ONCE = 2;
/** The kinds whose batches do not depend on each other. */
const INDEPENDENT: ReadonlySet<ArchiveLine["type"]> = new Set(["file", "vectors"]);

/**
 * Stores an archive's lines as they arrive, one batch of one kind per transaction. The lines must
 * be in ascending order, which proves that none occurs twice. A set of all lines seen would need
 * memory.
 *
 * @returns the stored counts, which equal those in the archive's last line
 * @throws AppError `archive_invalid`, `quota_exceeded`; after an error nothing is being stored any
 *   more
 */
export async function restoreLines(restore: Restore, lines: AsyncIterable<ArchiveLine>): Promise<ArchiveCounts> {
  const stores = createStores(restore);
  try {
    const counts = await storeAll(stores, lines);
    await stores.done();
    return counts;
  } finally {
    await stores.settled();
  }
}

/** Stores batches: independent ones of one kind at the same time, all others one after the other. */
function createStores(restore: Restore) {
  const running = new Set<Promise<void>>();
  let type: ArchiveLine["type"] | undefined;
  const done = async () => void (await Promise.all(running));
  return {
    /** Begins to store a batch. Resolves when the next may be given. */
    add: async (batch: readonly ArchiveLine[]) => {
      const [first] = batch;
      if (!first) return;
      if (first.type !== type || !INDEPENDENT.has(first.type)) await done();
      type = first.type;
      const storing = store(restore, batch);
      running.add(storing);
      // A failed batch stays, so that the next call fails too.
      storing.then(
        () => running.delete(storing),
        () => undefined,
      );
      if (running.size >= BATCHES_AT_ONCE) await Promise.race(running);
    },
    done,
    settled: () => Promise.allSettled(running),
  };
}

async function storeAll(stores: ReturnType<typeof createStores>, lines: AsyncIterable<ArchiveLine>) {
  const counts: ArchiveCounts = { ...NO_COUNTS };
  let [batch, chars]: [ArchiveLine[], number] = [[], 0];
  let before: ArchiveLine | undefined;
  let uncounted = 0;
  const flush = async () => {
    await stores.add(batch);
    [batch, chars] = [[], 0];
  };
  for await (const line of lines) {
    if (before?.type === line.type) requireGrowth(before, line);
    before = line;
    if (batch[0] && (batch[0].type !== line.type || batch.length >= BATCH_LINES || chars >= BATCH_CHARS)) await flush();
    if (line.type === "end") {
      requireCounts(counts, line);
      continue;
    }
    count(counts, line);
    uncounted += uncountedOf(line);
    requireFew(uncounted);
    batch.push(line);
    chars += sizeOf(line);
  }
  return counts;
}

function requireGrowth(before: ArchiveLine, line: ArchiveLine): void {
  const grows =
    (line.type !== "file" || isBefore((before as typeof line).path, line.path)) &&
    (line.type !== "session" || isBefore((before as typeof line).key, line.key)) &&
    (line.type !== "version" || (before as typeof line).version < line.version) &&
    (line.type !== "factChange" || (before as typeof line).seq < line.seq) &&
    (line.type !== "snapshot" || (before as typeof line).seq < line.seq) &&
    (line.type !== "fact" || BigInt((before as typeof line).id) < BigInt(line.id));
  if (!grows) throw invalid(`has a ${line.type} twice or out of order`);
}

/** Compares byte by byte, as Postgres does. */
function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}

function count(counts: ArchiveCounts, line: ArchiveLine): void {
  if (line.type === "file") counts.files++;
  if (line.type === "session") counts.sessions++;
  if (line.type === "fact") counts.facts++;
  if (line.type === "version") counts.versions++;
  if (line.type === "messages") counts.messages += line.messages.length;
  if (line.type === "vectors") counts.vectors += line.vectors.length;
}

function uncountedOf(line: ArchiveLine): number {
  if (line.type === "ingested") return line.pieces.length;
  return line.type === "factChange" ? 1 : 0;
}

function sizeOf(line: ArchiveLine): number {
  if (line.type === "file" || line.type === "version") return line.content.length;
  if (line.type === "messages") return line.messages.reduce((sum, message) => sum + message.text.length, 0);
  if (line.type === "vectors") return line.vectors.reduce((sum, { embedding }) => sum + embedding.length, 0);
  // Each of these lines is a batch of its own.
  return line.type === "supersessions" ? BATCH_CHARS : 0;
}

function requireCounts(counts: ArchiveCounts, { type: _, ...said }: LineOf<"end">): void {
  for (const [kind, number] of Object.entries({ ...said, versions: said.versions ?? 0 }))
    if (counts[kind as keyof ArchiveCounts] !== number)
      throw invalid(`does not hold the ${number} ${kind} that its last line names`);
}

async function store(restore: Restore, batch: readonly ArchiveLine[]): Promise<void> {
  const { deps, schemaName } = restore;
  if (!(await touchImport(deps.db, schemaName, deps.clock()))) throw agentGone();
  const of = <T extends ArchiveLine["type"]>(type: T) => batch.filter((line): line is LineOf<T> => line.type === type);
  try {
    switch (batch[0]?.type) {
      case "file":
        return await storeFiles(restore, of("file"));
      case "version":
        return await storeVersions(restore, of("version"));
      case "factChange":
        return await storeFactChanges(restore, of("factChange"));
      case "snapshot":
        return await storeSnapshots(restore, of("snapshot"));
      case "ingested":
        return await storePieces(restore, of("ingested"));
      case "binding":
        restore.bindings.push(...of("binding").map(({ match }) => match));
        if (restore.bindings.length > MAX_BINDINGS) throw invalid(`has more than ${MAX_BINDINGS} bindings`);
        return;
      case "session":
        return await storeSessions(restore, of("session"));
      case "messages":
        return await storeMessages(restore, of("messages"));
      case "fact":
        return await storeFacts(restore, of("fact"));
      case "supersessions":
        return await withAgentTransaction(deps.db, restore.agent, (tx) =>
          restoreSupersessions(
            tx,
            tx.schema,
            of("supersessions").flatMap((line) => line.links),
          ),
        );
      case "vectors":
        return await stageVectors(
          restore,
          of("vectors").flatMap((line) => line.vectors),
        );
    }
  } catch (error) {
    if (sqlState(error) === SQLSTATE.uniqueViolation) throw invalid("has an entry twice", error);
    throw error;
  }
}

async function storeFiles(restore: Restore, files: readonly LineOf<"file">[]): Promise<void> {
  const { deps, caller, agent } = restore;
  const put = files.map(({ path, content, mtime, origin, original }) => {
    requireFilePath(path);
    return { path: checkMemoryPath(path), content, mtime, origin, original };
  });
  await writeChecked(deps, { ...caller, via: "import", once: undefined }, agent, { put, delete: [] });
  await storeNumbers(restore, files);
}

async function storeSessions({ deps, agent }: Restore, lines: readonly LineOf<"session">[]): Promise<void> {
  // The archive has the session's name within its agent, also if the name looks like another key.
  const sessions = lines.map(({ type: _, ...one }) => ({ ...one, key: requireSessionName(one.key) }));
  await withAgentTransaction(deps.db, agent, async (tx) => {
    await requireNoFile(
      tx,
      sessions.map((session) => session.key),
    );
    await restoreSessions(tx, tx.schema, sessions, deps.clock());
  });
}

async function storeMessages({ deps, agent }: Restore, lines: readonly LineOf<"messages">[]): Promise<void> {
  const now = deps.clock();
  const messages: MessageRestore[] = [];
  const yieldToOthers = createYielder();
  for (const line of lines) {
    for (const { text: given, ...one } of line.messages) {
      const text = normaliseMessage(given);
      const lineCount = renderMessage({ ...one, text }).length;
      // Retention would keep a message from the future for ever.
      const storedAt = one.storedAt > now ? now : one.storedAt;
      const session = line.session.normalize("NFC");
      const { originClass = null } = one;
      messages.push({ ...one, session, text, lineCount, storedAt, size: Buffer.byteLength(text), originClass });
      // One line may hold sixteen megabytes of messages.
      await yieldToOthers();
    }
  }
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const stored = await restoreMessages(tx, tx.schema, messages);
    if (stored !== messages.length) throw invalid("has messages of a session that it does not hold");
    const bytes = messages.reduce((sum, message) => sum + message.size, 0);
    await takeQuota(await tx.asService(), agent, { files: 0, bytes, chunks: 0, facts: 0 });
  });
}

/** Stores each fact with its chunk, as `store-facts.ts` does. Its vector follows later. */
async function storeFacts({ deps, agent }: Restore, lines: readonly LineOf<"fact">[]): Promise<void> {
  const now = deps.clock();
  const past = (at: Date) => (at > now ? now : at);
  const facts = lines.map(({ type: _, scope, source, ...one }): FactRestore => {
    const text = normaliseFact(one.text);
    if (text === "") throw invalid("has a fact without a text");
    if ((one.validTo === null) !== (one.endedBy === null))
      throw invalid("has a fact with only one of validTo and endedBy");
    const times = {
      createdAt: past(one.createdAt),
      updatedAt: past(one.updatedAt),
      confirmedAt: past(one.confirmedAt),
    };
    const subject = normaliseSubject(one.subject);
    return { ...one, ...scope, ...times, text, subject, textHash: factHash(text), source: source as FactSource };
  });
  const known = await withAgentReads(deps.db, agent, (tx) => activeGeneration(tx, tx.schema));
  const chunks = await deps.preparer.prepareFacts(agent.tenantId, {
    facts: facts.map(({ text, subject, key }) => ({ text, subject, key })),
    languages: textLanguages(known),
  });
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const generation = await activeGeneration(tx, tx.schema);
    if (!generation) throw agentGone();
    await restoreFacts(tx, tx.schema, facts);
    const replacements = facts.flatMap(({ id }, index) => {
      const chunk = chunks[index];
      return chunk ? [{ owner: { factId: id }, old: [], next: [chunk] }] : [];
    });
    const { added } = await replaceChunks(tx, generation, replacements, new Map());
    const bytes = facts.reduce((sum, fact) => sum + Buffer.byteLength(fact.text), 0);
    await takeQuota(await tx.asService(), agent, { files: 0, bytes, chunks: added, facts: facts.length });
  });
}
