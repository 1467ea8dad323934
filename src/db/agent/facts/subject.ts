import type { Scope } from "../schema/scope.ts";

/** The most characters of a subject. */
const MAX_SUBJECT_CHARS = 200;

/**
 * Returns a subject as it is stored: in normal form C, on one line, with single spaces; null when
 * nothing is left.
 */
export function normaliseSubject(given: string | null | undefined): string | null {
  const text = (given ?? "")
    .normalize("NFC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return text === "" ? null : text.slice(0, MAX_SUBJECT_CHARS).trim().toWellFormed();
}

/** Returns the form in which subjects are compared: without case, width and extra spaces. */
export function foldedSubject(given: string | null | undefined): string | null {
  return normaliseSubject(given)?.normalize("NFKC").toLowerCase().normalize("NFC") ?? null;
}

interface Owned {
  subject: string | null;
  scope: Scope;
}

/**
 * Returns the folded subject whose fact this is. A fact without a subject is the user's of its
 * scope: facts that were stored before subjects were known are continued under the user's name.
 */
export function ownerOf({ subject, scope }: Owned): string {
  return foldedSubject(subject) ?? foldedSubject(scope.user) ?? "";
}

/** Returns whether a fact is about the user of its scope, or about nobody in particular. */
export function isOfUser(fact: Owned): boolean {
  return ownerOf(fact) === (foldedSubject(fact.scope.user) ?? "");
}

/**
 * Returns a condition: the stored fact under one alias has the owner of the new fact under the
 * other, if their scopes are equal. The new fact's columns are `subject` (`ownerOf`) and `is_user`
 * (`isOfUser`).
 */
export function sameSubjectSql(stored: string, given: string): string {
  return `(${stored}.subject_folded = ${given}.subject OR ${stored}.subject_folded IS NULL AND ${given}.is_user)`;
}
