import { randomBytes } from "node:crypto";
import type { CivilDay, DayRange } from "../../../base/civil-day.ts";
import type { SqlExecutor } from "../../database.ts";
import { type FactFilter, factCondition, timedSql } from "../facts/fact-filter.ts";
import { factPath } from "../facts/facts.ts";
import { vectorParameter } from "../schema/generation-tables.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { visibleToSql } from "../schema/scope.ts";
import { includesFacts, SOURCE_NUMBER } from "../schema/source-number.ts";

/** The properties of a chunk that ranking needs, without its text. */
export interface CandidateRow {
  id: string;
  source: number;
  path: string;
  startLine: number;
  endLine: number;
  /**
   * A hash of the text alone, so that equal texts under different headings have equal hashes. Short
   * texts are hashed in lower case. Hashes of different processes cannot be compared.
   */
  hash: string;
  /** When the file was changed, the last message was said, or the fact was confirmed. */
  changedAt: Date;
  /** The day that a file is about, as YYYY-MM-DD; null: only `changedAt` is known. */
  day: string | null;
  /**
   * When the first message of the chunk was said, or since when the fact holds; null unless `isDated`
   * was asked for.
   */
  begunAt: Date | null;
  /**
   * When each message of the chunk was said, in their order, if the first and the last one are so far apart
   * that a day between them may have none; else null.
   */
  saidAt: readonly Date[] | null;
  /** The days of the text in the question's time zone, if the question names a period. */
  days?: DayRange | undefined;
  /** The days of the messages, in ascending order, if some of `days` have none. */
  saidDays?: readonly CivilDay[] | undefined;
  /** Whether these days are only those of a file's last change. */
  isDayOfChange?: boolean | undefined;
  /**
   * Set if the text is of other days and writes a day of the period; `answer`: it also has another word
   * of the question.
   */
  names?: "day" | "answer" | undefined;
  /** Whether the question asks what somebody said, and the text has it. */
  isOfSpeaker?: boolean | undefined;
  /** For a fact, the properties that ranking weighs besides its text. */
  standing: { importance: number; decayClass: string } | null;
  /** For a fact, its text and subject, if `hasFactTexts` was asked for. */
  fact?: { text: string; subject: string | null } | undefined;
  /** Whether the message of a recall names what the fact is about. */
  isNamed?: boolean | undefined;
  /** For a fact or a conversation, whether the search may return it. */
  holds: boolean;
  /** For a fact, whether `holds` can change with time alone. */
  isTimed: boolean;
  /** The cosine; null if the chunk is not embedded yet or there was no query vector. */
  similarity: number | null;
}

/**
 * The seed of the text hashes. This hash takes half the time of md5, and md5 takes a tenth of the
 * statement's time. If the seed were known, somebody could write a text with the same hash as
 * another text.
 */
const SEED = randomBytes(8).readBigInt64BE().toString();

/**
 * The longest text that is hashed in lower case. A fact or a message may be repeated with other
 * capitals, but a passage of a document is not. Lower case of 47 chunks of 1,250 characters took
 * 0.6 ms, a third of the statement.
 */
const MAX_FOLDED_BYTES = 400;

/** A row of `candidateDetails`; columns of sources that were not asked for are missing. */
type Row = Omit<
  CandidateRow,
  "path" | "standing" | "fact" | "isNamed" | "holds" | "isTimed" | "day" | "begunAt" | "saidAt"
> & {
  day?: string | null;
  saidAtMs?: readonly number[] | null;
  heldFrom?: Date | null;
  holds?: boolean | null;
  isVisible?: boolean | null;
  isTimed?: boolean | null;
  path?: string | null;
  key?: string | null;
  factId?: string | null;
  factText?: string | null;
  factSubject?: string | null;
  importance: number;
  decayClass: string;
};

/**
 * Returns the properties that ranking needs of the given chunks, with the cosines that no arm has
 * computed, in no particular order.
 *
 * @param of `sources` of the chunks, because planning joins that find nothing took longer than the
 * statement; `sessionPath`, the path of a session by its key; `facts`, the facts that the search
 * may find, and the reader whose conversations it may find; `compared`, the chunks whose cosine is
 * wanted; `isDated`, whether the question names a period, so that each message of a chunk counts;
 * `hasFactTexts`, whether the texts and subjects of facts are wanted
 */
export async function candidateDetails(
  sql: SqlExecutor,
  index: { schema: SchemaName; generationId: number; dimensions: number | null; halfVectors: boolean },
  ids: readonly string[],
  of: {
    queryVector: Uint8Array | undefined;
    compared: readonly string[];
    sources: readonly number[];
    sessionPath: (key: string) => string;
    facts?: FactFilter | undefined;
    isDated?: boolean | undefined;
    hasFactTexts?: boolean | undefined;
  },
): Promise<CandidateRow[]> {
  if (ids.length === 0) return [];
  const { schema, generationId, dimensions } = index;
  const { queryVector, compared, sources, sessionPath, facts = {}, isDated = false, hasFactTexts = false } = of;
  const compares = queryVector !== undefined && dimensions !== null;
  const similarity = compares
    ? `CASE WHEN c.id = ANY($4::bigint[]) THEN
              (SELECT 1 - (v.embedding <=> ${vectorParameter(3, index)})
                 FROM ${schema}.vectors_${generationId} v
                WHERE v.chunk_id = c.id) END`
    : "NULL::float8";
  const values: unknown[] = compares ? [ids, SEED, queryVector, compared] : [ids, SEED];
  const owners = ownersOf(schema, sources, { facts, isDated, hasFactTexts }, values);
  // Two people may say the same words of themselves.
  const folded = includesFacts(sources) ? "lower(coalesce(x.subject_folded || ': ', '') || c.text)" : "lower(c.text)";
  const { rows } = await sql.executeSql<Row>(
    `SELECT c.id, c.source, ${owners.map(({ columns }) => columns).join(", ")},
            c.start_line AS "startLine", c.end_line AS "endLine",
            hashtextextended(CASE WHEN octet_length(c.text) <= ${MAX_FOLDED_BYTES}
                                    THEN ${folded}
                                  ELSE c.text END, $2) AS hash,
            coalesce(${owners.flatMap(({ dates }) => dates).join(", ")}) AS "changedAt",
            ${similarity} AS similarity
       FROM ${schema}.chunks_${generationId} c ${owners.map(({ join }) => join).join(" ")}
      WHERE c.id = ANY($1::bigint[])`,
    values,
    { prepare: true },
  );
  return rows.map(({ key, path, factId, factText, factSubject, importance, decayClass, ...others }) => {
    const { holds, isVisible, isTimed, heldFrom, saidAtMs, ...one } = others;
    const row = { ...one, day: one.day ?? null, ...timesOf(saidAtMs ?? [], heldFrom ?? null) };
    return factId
      ? {
          ...row,
          path: factPath(factId),
          standing: { importance, decayClass },
          ...(typeof factText === "string" ? { fact: { text: factText, subject: factSubject ?? null } } : {}),
          holds: holds === true,
          isTimed: isTimed === true,
        }
      : { ...row, path: path ?? sessionPath(key ?? ""), standing: null, holds: isVisible ?? true, isTimed: false };
  });
}

function timesOf(saidAtMs: readonly number[], heldFrom: Date | null): Pick<CandidateRow, "begunAt" | "saidAt"> {
  if (saidAtMs.length === 0) return { begunAt: heldFrom, saidAt: null };
  const begunAt = new Date(Math.min(...saidAtMs));
  return { begunAt, saidAt: saidAtMs.length === 1 ? null : saidAtMs.map((ms) => new Date(ms)) };
}

/** The least time between two messages with a whole day between them; clocks may be set forward on that day. */
const DAY_BETWEEN = "interval '20 hours'";

/** Returns, for each source, the owner's columns, the dates of its last change, and the join. */
function ownersOf(
  schema: SchemaName,
  sources: readonly number[],
  { facts, isDated, hasFactTexts }: { facts: FactFilter; isDated: boolean; hasFactTexts: boolean },
  values: unknown[],
) {
  const { visibleTo } = facts;
  const isVisible =
    visibleTo && sources.includes(SOURCE_NUMBER.sessions)
      ? `, ${visibleToSql("s", visibleTo, values)} AS "isVisible"`
      : "";
  const ms = (at: string) => `(extract(epoch FROM ${at}) * 1000)::float8`;
  const saidAt = `, (SELECT CASE WHEN max(b.at) - min(b.at) < ${DAY_BETWEEN} THEN ARRAY[${ms("min(b.at)")}]
                                ELSE array_agg(${ms("b.at")} ORDER BY b.seq) END
                       FROM ${schema}.messages b
                      WHERE b.session_id = c.session_id
                        AND b.seq BETWEEN c.first_message AND c.last_message) AS "saidAtMs"`;
  const all = [
    {
      source: SOURCE_NUMBER.memory,
      columns: "f.path, f.day::text AS day",
      dates: ["f.mtime"],
      join: `LEFT JOIN ${schema}.files f ON f.id = c.file_id`,
    },
    {
      source: SOURCE_NUMBER.sessions,
      columns: `s.key${isVisible}${isDated ? saidAt : ""}`,
      dates: ["m.at", "s.last_message_at"],
      join: `LEFT JOIN ${schema}.sessions s ON s.id = c.session_id
             LEFT JOIN ${schema}.messages m ON m.session_id = c.session_id AND m.seq = c.last_message`,
    },
  ];
  const owners = all.filter(({ source }) => sources.includes(source));
  if (!includesFacts(sources)) return owners;
  const heldFrom = isDated ? `x.valid_from AS "heldFrom", ` : "";
  const texts = hasFactTexts ? `x.text AS "factText", x.subject AS "factSubject", ` : "";
  const columns = `${heldFrom}${texts}c.fact_id AS "factId", x.importance, x.decay_class AS "decayClass", ${factCondition("x", facts, values)} AS holds,
            ${timedSql("x")} AS "isTimed"`;
  const join = `LEFT JOIN ${schema}.facts x ON x.id = c.fact_id`;
  return [...owners, { columns, join, dates: ["x.confirmed_at"] }];
}
