import { type RequesterOptions, requesterOf } from "../../../src/cli/sessions/openclaw-requester.ts";
import type { SearchHit } from "../../../src/client/client.ts";
import type { HostHit } from "./host.ts";
import { type OriginClass, originOfFile } from "./origin.ts";

/** Returns a hit in the form of OpenClaw's own search. */
export function hostHit(hit: SearchHit, options: RequesterOptions): HostHit {
  const { path, startLine, endLine, score, snippet, vectorScore, textScore, citation } = hit;
  return {
    path,
    startLine,
    endLine,
    score,
    snippet,
    // OpenClaw knows no facts. A fact is read by its path like a file.
    source: hit.source === "sessions" ? "sessions" : "memory",
    ...(vectorScore === undefined ? {} : { vectorScore }),
    ...(textScore === undefined ? {} : { textScore }),
    ...(citation === undefined ? {} : { citation }),
    provenance: {
      originClass: originOfHit(hit, options),
      sessionKind: hit.source === "memory" ? "unknown" : "interactive",
      observedAt: Date.parse(hit.date) || 0,
    },
  };
}

/**
 * Returns the class with which the messages of a hit were stored. A conversation that was stored
 * without classes is trusted only if it is the owner's.
 */
function originOfHit(hit: SearchHit, options: RequesterOptions): OriginClass {
  if (hit.source === "memory") return originOfFile(hit.path);
  const key = sessionKeyOf(hit.path);
  // Only a fact with the words of a message has the message's class.
  if (key === undefined) return hit.fact?.originClass ?? "untrusted";
  const kept = hit.session?.originClass;
  // A conversation that was imported, or that an older server has, does not say who the user is.
  if (kept === undefined) return requesterOf(key, options).audience === "owner" ? "agent" : "untrusted";
  return kept;
}

/** Returns the key of the conversation at a path; undefined if the path is not a conversation's. */
export function sessionKeyOf(path: string): string | undefined {
  if (!path.startsWith("sessions/")) return undefined;
  const name = path.slice("sessions/".length);
  if (!name.startsWith("%:")) return name;
  try {
    return decodeURIComponent(name.slice(2));
  } catch {
    return undefined;
  }
}
