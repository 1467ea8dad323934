import { z } from "zod";
import { mostValuesOf } from "../../base/schema-size.ts";
import { FACT_CHANGE_KINDS } from "../../db/agent/facts/fact-changes.ts";
import { ORIGIN_CLASSES } from "../../db/agent/sessions/messages.ts";
import { originName, snapshotName, timestamp } from "../../service/core/scalar-schemas.ts";
import { decayClass, factCategory, factId } from "../../service/facts/fact-schemas.ts";
import { matchParts } from "../../settings/bindings.ts";

/** The format's name in the first line of an archive. */
export const ARCHIVE_FORMAT = "recollect-agent-archive";
/** Increased with every change that an older Recollect would not understand. */
export const ARCHIVE_VERSION = 8;
/**
 * The first version of the format that supports each feature. An archive without any of them is
 * written in the first version.
 */
export const VERSION_WITH = {
  texts: 1,
  origins: 2,
  separation: 3,
  originals: 4,
  history: 5,
  scopes: 6,
  subjects: 7,
  classes: 8,
};

/** The longest first line. It holds settings and limits, of which a request may send 256 KB. */
export const MAX_HEADER_BYTES = 262_144;
/** The most JSON values of the first line. Settings have a few hundred at most. */
export const MAX_HEADER_VALUES = 2_000;
/** The longest other line. The longest file of an API request takes 8 MB as JSON. */
export const MAX_LINE_BYTES = 16_000_000;
const MAX_CONTENT_CHARS = 4_000_000;
/** The most pages of a document. */
const MAX_PAGES = 2000;
const MAX_MESSAGE_CHARS = 262_144;
const MAX_FACT_CHARS = 2000;
/**
 * The highest number of a message. The windows of a session are counted by these numbers, whether
 * or not each number has a message.
 */
const MAX_SEQ = 50_000_000;
const MAX_LINES = 2_000_000_000;
export const MAX_MESSAGES = 500;
export const MAX_LINKS = 1000;
export const MAX_VECTORS = 100;
const MAX_DIMENSIONS = 4000;

/**
 * The id of a fact, with at most 15 digits. New facts continue from the highest id of an archive,
 * and every id has at most 18 digits. So three digits remain for the facts that the imported agent
 * learns.
 */
const archivedId = factId.max(15, "must be the id of a fact, of at most 15 digits");

const short = z.string().max(1024);
const settings = z.record(z.string(), z.unknown());
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const seq = z.int().min(1).max(MAX_SEQ);

const separation = z.strictObject({ pairs: z.int().min(0).max(1000), sum: z.number().min(-1e4).max(1e4) });
const model = z.strictObject({
  provider: short,
  model: short,
  dimensions: z.int().min(1).max(MAX_DIMENSIONS),
  /**
   * The model's measured separation of the agent's texts, by script; absent until it is measured.
   */
  separation: z
    .record(z.string().max(20), separation)
    .refine((scripts) => Object.keys(scripts).length <= 20)
    .optional(),
});

/** The first line of an archive. */
export const archiveHeader = z.strictObject({
  type: z.literal("header"),
  format: z.literal(ARCHIVE_FORMAT),
  version: z.int(),
  /** The version of the Recollect that wrote the archive, for people. */
  service: short,
  exportedAt: timestamp,
  agent: z.strictObject({ id: short, name: short, settings, limits: settings }),
  /** The model of the vectors; null when the archive has none. */
  vectors: model.nullable(),
});

const message = z.strictObject({
  seq,
  id: short.nullable(),
  role: z.enum(["user", "assistant", "system", "tool"]),
  name: short.nullable(),
  text: z.string().max(MAX_MESSAGE_CHARS),
  firstLine: z.int().min(1).max(MAX_LINES),
  at: timestamp,
  storedAt: timestamp,
  /** The class of the message; absent if its sender did not give one. */
  originClass: z.enum(ORIGIN_CLASSES).optional(),
});

const by = short;
const line = z.int().min(1).max(2_147_483_646).optional();
const source = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("call"), by, note: short.optional() }),
  z.strictObject({ kind: z.literal("message"), by, session: short, message: line }),
  z.strictObject({ kind: z.literal("file"), by, path: short, startLine: line, endLine: line }),
]);

/** The number of a change. New changes continue from the highest number. */
const number = z.int().min(1).max(1e15);
const original = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  type: short,
  size: count,
  pages: z.array(z.int().min(1).max(MAX_LINES)).max(MAX_PAGES).optional(),
});

/** The scope of a fact or session. "" stands for every user, agent or session. */
const archivedScope = z.strictObject({ user: short, agent: short, session: short });

/** A fact's row, as a snapshot needs it. */
const factState = z.strictObject({
  text: z.string().min(1).max(MAX_FACT_CHARS),
  subject: short.optional(),
  key: short.nullable(),
  category: factCategory,
  importance: z.number().min(0).max(1),
  scope: archivedScope,
  tags: z.array(short).max(100),
  source,
  decayClass,
  validFrom: timestamp,
  validTo: timestamp.nullable(),
  endedBy: z.enum(["key", "supersede", "update"]).nullable(),
  supersededBy: archivedId.nullable(),
  expiresAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  confirmedAt: timestamp,
});

/** The lines after the header, in their order in an archive. */
export const archiveLine = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("file"),
    path: short,
    content: z.string().max(MAX_CONTENT_CHARS),
    mtime: timestamp,
    /** The synced folder that sent the file, if any. */
    origin: originName.optional(),
    /** The document that the file's content was read from, if any. */
    original: original.optional(),
    /**
     * `seq` is the change that wrote the file, `born` the change that created it. The other two
     * fields are the time and the author of the last write.
     */
    seq: number.optional(),
    born: number.optional(),
    writtenAt: timestamp.optional(),
    writtenBy: short.optional(),
  }),
  z.strictObject({
    type: z.literal("version"),
    version: number,
    since: number,
    born: number,
    path: short,
    content: z.string().max(MAX_CONTENT_CHARS),
    mtime: timestamp,
    origin: originName.optional(),
    original: original.optional(),
    writtenAt: timestamp,
    writtenBy: short.nullable(),
    endedAt: timestamp,
    endedBy: short,
    deleted: z.boolean(),
  }),
  z.strictObject({
    type: z.literal("session"),
    key: short,
    lastSeq: seq,
    lastLine: z.int().min(0).max(MAX_LINES),
    removed: z.int().min(0).max(MAX_SEQ),
    /** The scope of the session; absent when it is for the whole agent. */
    scope: archivedScope.optional(),
  }),
  z.strictObject({ type: z.literal("messages"), session: short, messages: z.array(message).min(1).max(MAX_MESSAGES) }),
  z.strictObject({
    type: z.literal("fact"),
    id: archivedId,
    text: z.string().min(1).max(MAX_FACT_CHARS),
    /** The person or thing that the fact is about; absent when none is known. */
    subject: short.optional(),
    key: short.nullable(),
    category: factCategory,
    importance: z.number().min(0).max(1),
    scope: archivedScope,
    tags: z.array(short).max(100),
    source,
    decayClass,
    validFrom: timestamp,
    validTo: timestamp.nullable(),
    endedBy: z.enum(["key", "supersede", "update"]).nullable(),
    expiresAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    confirmedAt: timestamp,
  }),
  z.strictObject({
    type: z.literal("supersessions"),
    links: z
      .array(z.strictObject({ id: archivedId, by: archivedId }))
      .min(1)
      .max(MAX_LINKS),
  }),
  z.strictObject({
    type: z.literal("factChange"),
    seq: number,
    fact: archivedId,
    kind: z.enum(FACT_CHANGE_KINDS),
    at: timestamp,
    by: short.nullable(),
    /**
     * The fact's state before the change, where a snapshot needs it; `absent` when the fact did not
     * exist.
     */
    before: z.union([z.literal("absent"), factState]).optional(),
  }),
  z.strictObject({
    type: z.literal("snapshot"),
    name: snapshotName,
    seq: number,
    lastFact: z.union([z.literal("0"), archivedId]),
    takenAt: timestamp,
    takenBy: short,
    expiresAt: timestamp.nullable(),
    files: z.int().min(0).max(MAX_LINES),
    bytes: count,
    facts: z.int().min(0).max(MAX_LINES),
  }),
  z.strictObject({
    type: z.literal("ingested"),
    pieces: z
      .array(z.string().regex(/^[0-9a-f]{64}$/))
      .min(1)
      .max(MAX_LINKS),
  }),
  z.strictObject({ type: z.literal("binding"), match: matchParts }),
  z.strictObject({
    type: z.literal("vectors"),
    vectors: z
      .array(z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/), embedding: z.base64().max(24_000) }))
      .min(1)
      .max(MAX_VECTORS),
  }),
  z.strictObject({
    type: z.literal("end"),
    files: count,
    sessions: count,
    messages: count,
    facts: count,
    vectors: count,
    /** Absent in an archive without history. */
    versions: count.optional(),
  }),
]);

/** The most JSON values of a line after the header. A full line of messages has this many. */
export const MAX_LINE_VALUES = mostValuesOf(archiveLine) ?? 0;

export type ArchiveHeader = z.output<typeof archiveHeader>;
export type ArchiveLine = z.output<typeof archiveLine>;
export type LineOf<T extends ArchiveLine["type"]> = Extract<ArchiveLine, { type: T }>;
/** A line before parsing, with instants as text. */
export type WrittenLine = z.input<typeof archiveLine> | z.input<typeof archiveHeader>;

/** The number of entries of each kind. */
export type ArchiveCounts = Omit<LineOf<"end">, "type" | "versions"> & { versions: number };

export const NO_COUNTS: ArchiveCounts = { files: 0, sessions: 0, messages: 0, facts: 0, vectors: 0, versions: 0 };

/** The kinds of lines, in their order in an archive. */
export const LINE_ORDER: readonly ArchiveLine["type"][] = [
  ...(["file", "version", "session", "messages", "fact", "supersessions"] as const),
  ...(["factChange", "snapshot", "ingested", "binding", "vectors", "end"] as const),
];
