import {
  type Requester,
  type RequesterOptions,
  requesterOf,
  sees,
} from "../../../src/cli/sessions/openclaw-requester.ts";
import { sessionKeyOf } from "./hits.ts";
import type { HostHit } from "./host.ts";

/**
 * Returns the hits that a session may see. OpenClaw asks this before it shows hits of its own
 * searches, which know no session.
 */
export function hostHitsFor(
  sessionKey: string | undefined,
  hits: readonly HostHit[],
  { requesters, readsFiles }: { requesters: RequesterOptions; readsFiles(requester: Requester): boolean },
): HostHit[] {
  const requester = requesterOf(sessionKey, requesters);
  return hits.filter(({ path }) => {
    if (requester.reads === undefined) return true;
    // A hit does not say whom a fact is for.
    if (path.startsWith("facts/")) return false;
    const key = sessionKeyOf(path);
    return key === undefined ? readsFiles(requester) : sees(requester, key, requesters);
  });
}
