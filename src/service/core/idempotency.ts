import { DAY_MS } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { findAnswer, insertAnswer } from "../../db/control/idempotency-keys.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Caller, CoreDeps } from "./core-deps.ts";

/** The time for which the answer to a write is kept under its key. */
export const ANSWER_TTL_MS = DAY_MS;

/**
 * Returns the answer to the first request with the caller's idempotency key; undefined without a
 * key, or if nothing was written under it. A use case calls this after the caller is authorised.
 *
 * @throws AppError `idempotency_key_reused` if the first request was a different one
 */
export async function findReplay<T>(deps: CoreDeps, caller: Caller): Promise<T | undefined> {
  const { once } = caller;
  if (!once) return undefined;
  const found = await findAnswer(deps.db, caller.tenantId, rowKey(caller, once.key), oldest(deps));
  if (!found) return undefined;
  if (found.fingerprint !== once.fingerprint)
    throw new AppError(
      "idempotency_key_reused",
      "This Idempotency-Key belongs to another request; make a new one for each write.",
    );
  once.onReplay();
  return found.answer as T;
}

/**
 * Records the answer under the caller's key, in the transaction that writes: both are stored, or
 * neither. If two concurrent requests have the same key, the second waits here for the first and is
 * then rolled back.
 *
 * @param agentId the agent whose erasure deletes the answer; null for an answer that outlives the
 *   agent
 * @throws AppError `idempotency_key_in_use`
 */
export async function recordAnswer(
  deps: CoreDeps,
  caller: Caller,
  service: SqlExecutor,
  agentId: string | null,
  answer: unknown,
): Promise<void> {
  const { once, tenantId } = caller;
  if (!once) return;
  const row = { tenantId, key: rowKey(caller, once.key), agentId, fingerprint: once.fingerprint, answer };
  if (await insertAnswer(service, { ...row, createdAt: deps.clock() }, oldest(deps))) return;
  throw new AppError(
    "idempotency_key_in_use",
    "A request with this Idempotency-Key has just been carried out. Send it again to get its answer.",
    { details: { retryAfterSeconds: 1 } },
  );
}

/**
 * Returns the stored form of a key. It has a fixed size whatever the client chose, and includes the
 * caller, so that no caller finds another's answers.
 */
function rowKey({ actor }: Caller, key: string): string {
  return sha256(JSON.stringify([actor, key]));
}

function oldest(deps: CoreDeps): Date {
  return new Date(deps.clock().getTime() - ANSWER_TTL_MS);
}
