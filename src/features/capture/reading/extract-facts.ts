import { readFileSync } from "node:fs";
import { z } from "zod";
import { DAY_MS } from "../../../base/clock.ts";
import { FACT_CATEGORIES } from "../../../db/agent/facts/facts.ts";
import {
  askForFacts,
  type Extraction,
  MAX_STATEMENT_CHARS,
  statementImportance,
  statementText,
} from "../../../ingest/ask-for-facts.ts";
import type { ChatModel } from "../../../models/chat-model.ts";
import type { FactCandidate } from "./fact-candidate.ts";
import { aboutKey } from "./fact-key.ts";
import { type CaptureMessage, readableTexts } from "./readable-texts.ts";

/** The instructions for a turn, and the JSON schema of the answer: files, so that people can read them. */
const FROM_TURN = readFileSync(new URL("./prompt/turn-facts.md", import.meta.url), "utf8");
/** A schema without bounds. Some servers do not support bounds, and the answer is checked anyway. */
const TURN_SCHEMA = JSON.parse(
  readFileSync(new URL("./prompt/turn-facts.schema.json", import.meta.url), "utf8"),
) as Record<string, unknown>;

const day = z.iso.date().nullish().catch(null);
const turnFact = z.strictObject({
  text: statementText,
  category: z.enum(FACT_CATEGORIES),
  importance: statementImportance,
  about: z.string().max(100),
  evidence: z.string().max(MAX_STATEMENT_CHARS),
  // A server that ignores the schema may leave these out.
  subject: z.string().trim().max(200).optional(),
  from: day,
  until: day,
  relation: z.enum(["new", "confirms", "changes", "ends"]).catch("new").default("new"),
  known: z
    .array(z.union([z.string().max(20), z.int().transform(String)]))
    .max(50)
    .catch([])
    .default([]),
});

/** A stored fact that the model may say is confirmed, changed or ended. */
export interface KnownStatement {
  readonly id: string;
  readonly text: string;
  readonly validFrom: Date;
}

/** The new messages of a session, and the known facts. */
export interface ExtractRequest {
  readonly messages: readonly CaptureMessage[];
  /** The result of `ownTexts` for the messages. */
  readonly own: readonly string[];
  /** The open facts of the scope. */
  readonly known?: readonly KnownStatement[];
  readonly now: Date;
}

/**
 * Extracts facts from the new messages of a session with one call of a chat model. Keeps only
 * candidates that rest on the user's own words: facts that the model took from a quotation, a pasted
 * text, the assistant or nowhere are dropped. A key begins with `model:`. Of the known facts, only
 * the given ones can end, and only by a statement with such evidence that holds now and has no end.
 *
 * @param request messages in order; messages of roles other than `user` are context
 * @throws AppError `model_unavailable` or `model_rejected`, or the abort reason of `signal`
 */
export async function extractFacts(
  chat: ChatModel,
  { messages, own, known = [], now }: ExtractRequest,
  signal: AbortSignal,
): Promise<Extraction<FactCandidate>> {
  const text = [...knownLines(known), ...messageLines(messages)].join("\n\n");
  const question = { system: FROM_TURN, text, schema: TURN_SCHEMA, shape: turnFact };
  const answer = await askForFacts(chat, question, signal);
  const find = evidenceFinder(own);
  const facts = answer.facts.flatMap((item): FactCandidate[] => {
    const found = find(item.evidence);
    const { name, at = now } = (found && messages[found.messageIndex]) ?? {};
    // A message of the past does not end facts that began after it.
    const ids = new Set(known.flatMap(({ id, validFrom }) => (validFrom <= at ? [id] : [])));
    return found ? candidateOf(item, found, { ids, now, name }) : [];
  });
  return { facts, dropped: answer.dropped + answer.facts.length - facts.length };
}

function knownLines(known: readonly KnownStatement[]): string[] {
  if (known.length === 0) return [];
  const lines = known.map(({ id, text, validFrom }) => `[${id}] since ${dayOf(validFrom)}: ${text}`);
  return [`Known facts:\n${lines.join("\n")}`, "New messages:"];
}

function messageLines(messages: readonly CaptureMessage[]): string[] {
  return readableTexts(messages).map((text, at) => {
    const { role, name, at: time } = messages[at] ?? {};
    const speaker = `${role === "user" ? "User" : "Other"}${name === undefined ? "" : ` ${name}`}`;
    return `${time === undefined ? "" : `${dayOf(time)} `}${speaker}: ${text}`;
  });
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, "2026-01-01".length);
}

/**
 * Returns what the model found as a candidate; nothing for a fact that is over. A fact that begins
 * later, or that will end, changes nothing that holds: it has no key and ends nothing.
 */
function candidateOf(
  { about, evidence: _, subject = "", from, until, relation, known, ...fact }: z.infer<typeof turnFact>,
  found: Evidence,
  { ids, now, name }: { ids: ReadonlySet<string>; now: Date; name: string | undefined },
): FactCandidate[] {
  const begin = typeof from === "string" ? new Date(from) : undefined;
  // The last day counts in full, in every time zone.
  const expiresAt = typeof until === "string" ? new Date(Date.parse(until) + 2 * DAY_MS) : undefined;
  if (expiresAt !== undefined && expiresAt <= (begin !== undefined && begin > now ? begin : now)) return [];
  const named = known.filter((id) => ids.has(id));
  const who = /^(?:user)?$/i.test(subject) ? name : subject;
  const candidate: FactCandidate = {
    ...fact,
    ...found,
    trigger: "model",
    subject: who,
    validFrom: begin !== undefined && begin <= now ? begin : undefined,
    expiresAt,
  };
  if (relation === "confirms" && named.length > 0) return [{ ...candidate, restates: named }];
  if (expiresAt !== undefined || (begin !== undefined && begin > now)) return [candidate];
  const ends = relation === "changes" || relation === "ends" ? { keys: [], ids: named } : undefined;
  const key = relation === "ends" ? undefined : aboutKey(who === name ? about : `${about}@${who}`);
  return [{ ...candidate, key, ends }];
}

/** The place of a quotation in a message; `end` is exclusive. */
interface Evidence {
  readonly messageIndex: number;
  readonly range: { readonly start: number; readonly end: number };
}

/** The shortest quotation that counts as evidence. Shorter ones occur anywhere. */
const MIN_CHARS = 4;

/**
 * Creates a function that finds quotations in texts. It ignores case, runs of spaces and the form
 * of apostrophes.
 *
 * @param own the result of `ownTexts` for the messages: masked text is no evidence
 */
function evidenceFinder(own: readonly string[]): (quotation: string) => Evidence | undefined {
  const texts = own.map(plain);
  return (quotation) => {
    const wanted = plain(quotation).text.trim();
    if (wanted.length < MIN_CHARS) return undefined;
    for (const [messageIndex, { text, places }] of texts.entries()) {
      const at = text.indexOf(wanted);
      if (at < 0) continue;
      const start = places[at] ?? 0;
      return { messageIndex, range: { start, end: (places[at + wanted.length - 1] ?? start) + 1 } };
    }
    return undefined;
  };
}

function plain(source: string): { text: string; places: number[] } {
  const places: number[] = [];
  let text = "";
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at);
    const isSpace = /\s/.test(char);
    if (isSpace && (text === "" || text.endsWith(" "))) continue;
    const lower = char.toLowerCase();
    // Lower-cases character for character; otherwise the positions would shift.
    text += isSpace ? " " : char === "’" ? "'" : lower.length === 1 ? lower : char;
    places.push(at);
  }
  return { text, places };
}
