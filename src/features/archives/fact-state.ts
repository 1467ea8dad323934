import type { FactCategory, FactSource } from "../../db/agent/facts/facts.ts";
import { foldedSubject, normaliseSubject } from "../../db/agent/facts/subject.ts";
import { factHash } from "../../ingest/fact-text.ts";
import type { LineOf } from "./archive-format.ts";

type Line = LineOf<"factChange">;
type State = Exclude<Line["before"], "absent" | undefined>;
type Written<T> = { [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K] };

/** A fact's row in JSON, with the names of its columns. */
interface FactJson {
  id: number;
  text: string;
  text_hash: string;
  /** Missing in rows that were kept before facts had subjects. */
  subject?: string | null;
  subject_folded?: string | null;
  key: string | null;
  category: FactCategory;
  importance: number;
  scope_user: string;
  scope_agent: string;
  scope_session: string;
  tags: string[];
  source: FactSource;
  decay_class: State["decayClass"];
  valid_from: string;
  valid_to: string | null;
  superseded_by: number | null;
  ended_by: State["endedBy"];
  expires_at: string | null;
  size_bytes: number;
  created_at: string;
  updated_at: string;
  confirmed_at: string;
}

/** Returns the archived state of a fact from the JSON text of its row. */
export function factStateOf(row: string): Written<State> | "absent" {
  const fact = JSON.parse(row) as FactJson | null;
  if (fact === null) return "absent";
  const { text, key, category, importance, tags, source } = fact;
  return {
    text,
    ...(fact.subject ? { subject: fact.subject } : {}),
    key,
    category,
    importance,
    tags,
    source: source as State["source"],
    decayClass: fact.decay_class,
    scope: { user: fact.scope_user, agent: fact.scope_agent, session: fact.scope_session },
    validFrom: utc(fact.valid_from),
    validTo: utc(fact.valid_to),
    expiresAt: utc(fact.expires_at),
    endedBy: fact.ended_by,
    supersededBy: fact.superseded_by === null ? null : String(fact.superseded_by),
    createdAt: utc(fact.created_at),
    updatedAt: utc(fact.updated_at),
    confirmedAt: utc(fact.confirmed_at),
  };
}

/**
 * Returns an instant in UTC, as archives write it. The database writes it in the time zone of its
 * session.
 */
function utc<T extends string | null>(instant: T): T {
  return (instant === null ? null : new Date(instant).toISOString()) as T;
}

/**
 * Returns the JSON text of a fact's row; null when the line does not say what the fact was before.
 */
export function factRowOf({ fact, before }: Line): string | null {
  if (before === undefined) return null;
  if (before === "absent") return "null";
  const { text, key, category, importance, scope, tags, source } = before;
  const row: FactJson = {
    id: Number(fact),
    text,
    text_hash: factHash(text),
    subject: normaliseSubject(before.subject),
    subject_folded: foldedSubject(before.subject),
    key,
    category,
    importance,
    tags,
    scope_user: scope.user,
    scope_agent: scope.agent,
    scope_session: scope.session,
    source: source as FactSource,
    decay_class: before.decayClass,
    size_bytes: Buffer.byteLength(text),
    valid_from: before.validFrom.toISOString(),
    valid_to: before.validTo?.toISOString() ?? null,
    superseded_by: before.supersededBy === null ? null : Number(before.supersededBy),
    ended_by: before.endedBy,
    expires_at: before.expiresAt?.toISOString() ?? null,
    created_at: before.createdAt.toISOString(),
    updated_at: before.updatedAt.toISOString(),
    confirmed_at: before.confirmedAt.toISOString(),
  };
  return JSON.stringify(row);
}
