import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { findAnswer, insertAnswer } from "../../db/control/idempotency-keys.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { Caller, CoreDeps } from "./core-deps.ts";

/** How long the answer to a write is kept under its key. */
export const ANSWER_TTL_MS = 86_400_000;

/**
 * What was answered to the first request with the caller's idempotency key; undefined when there is no key, or nothing was written
 * under it. A use case asks for it once it knows that the caller may do what is asked.
 *
 * @throws AppError `idempotency_key_reused` when the first request was another one
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
 * Notes the answer under the caller's key, in the transaction that writes: both are there, or neither. Of two requests with one key
 * that meet, the second waits here for the first and is then undone.
 *
 * @param agentId with whose erasure the answer goes; null for one that outlives the agent
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
    "Another request with this Idempotency-Key was just carried out; send it again to get its answer.",
    { details: { retryAfterSeconds: 1 } },
  );
}

/** Of a fixed size whatever the client chose; and one key's holder cannot meet another's answers. */
function rowKey({ actor }: Caller, key: string): string {
  return sha256(JSON.stringify([actor, key]));
}

function oldest(deps: CoreDeps): Date {
  return new Date(deps.clock().getTime() - ANSWER_TTL_MS);
}
