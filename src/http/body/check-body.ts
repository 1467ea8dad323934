import type { z } from "@hono/zod-openapi";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { type JsonProblem, readJson } from "../../base/json-text.ts";
import { namingKnownKeys } from "../../base/unknown-keys.ts";
import { withoutNulls } from "../../base/without-nulls.ts";
import { invalidRequest } from "../../service/tools/define-tool.ts";

/** The most problems that are reported for a body that does not fit its schema. */
const MAX_ISSUES = 5;

/** The result of checking a body. It is plain data, so a thread can hand it over. */
export type CheckedBody =
  | { readonly body: unknown; readonly fingerprint: string | undefined }
  | { readonly problem: JsonProblem }
  | { readonly issues: readonly { path: string[]; message: string }[] };

/**
 * Parses a body and checks it against its route's schema. A null counts as absent where the schema
 * makes the field optional.
 *
 * @param once method, path and query of a write with an idempotency key; the fingerprint is made of
 *   these and the body's text
 * @param keepsNulls whether a null that the schema does not accept is refused. A change of something
 *   that exists needs this: with null its sender wants to remove a value, which must not be ignored
 */
export function checkBody(
  bytes: Uint8Array,
  schema: z.ZodType,
  once: readonly string[] | undefined,
  keepsNulls = false,
): CheckedBody {
  const read = readJson(bytes);
  if ("problem" in read) return read;
  const strict = schema.safeParse(read.value, { error: namingKnownKeys });
  // Bodies without such nulls, which are most, are checked once.
  const parsed =
    strict.success || keepsNulls
      ? strict
      : schema.safeParse(withoutNulls(schema, read.value), { error: namingKnownKeys });
  if (parsed.success) return { body: parsed.data, fingerprint: once && fingerprintOf(once, read.text) };
  const issues = parsed.error.issues.slice(0, MAX_ISSUES);
  return { issues: issues.map(({ path, message }) => ({ path: path.map(String), message })) };
}

/** Returns the fingerprint of a request; equal requests have equal fingerprints. */
export function fingerprintOf(request: readonly string[], body: string): string {
  return sha256(JSON.stringify([...request, body]));
}

/**
 * Returns the checked body.
 *
 * @throws AppError `invalid_json`, `invalid_encoding`, `invalid_request`
 */
export function acceptBody(checked: CheckedBody): { body: unknown; fingerprint: string | undefined } {
  if ("body" in checked) return checked;
  if ("issues" in checked) throw invalidRequest(checked.issues);
  throw PROBLEMS[checked.problem]();
}

const PROBLEMS: Record<JsonProblem, () => AppError> = {
  encoding: () => new AppError("invalid_encoding", "The body is not valid UTF-8."),
  syntax: () => new AppError("invalid_json", "The body is not valid JSON."),
  nul: () => new AppError("invalid_encoding", "A string in the body contains a NUL character, which text cannot hold."),
  surrogate: () => new AppError("invalid_encoding", "A string in the body contains half of a surrogate pair."),
  proto: () => new AppError("invalid_request", "The body has the key __proto__, which is not allowed."),
};
