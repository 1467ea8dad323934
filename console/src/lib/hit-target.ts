import type { SearchHit } from "recollect/client";
import type { Target } from "../router/address.ts";

/** Returns the view that shows a hit in the memory that it is from. */
export function targetOf(agent: string, { path, startLine, source, session, sharedBy }: SearchHit): Target {
  // The reader sees the path behind `@` and the sharer's name. In the sharer's own memory, the path
  // has no such prefix.
  const own = sharedBy === undefined ? path : path.slice(`@${sharedBy}/`.length);
  const params = { agent: sharedBy ?? agent };
  if (source === "facts") return { to: "/agents/$agent/memories", params, search: { id: own.split("/").at(-1) ?? "" } };
  if (source === "sessions" && session)
    return {
      to: "/agents/$agent/conversations",
      params,
      search: { session: session.key, after: String(session.messages.from - 1) },
    };
  return { to: "/agents/$agent/files", params, search: { path: own, line: String(startLine) } };
}

/** Returns the view that shows what is at a path: a fact, a conversation or a file. */
export function targetOfPath(agent: string, path: string): Target {
  const params = { agent };
  const [kind, ...rest] = path.split("/");
  if (kind === "facts") return { to: "/agents/$agent/memories", params, search: { id: rest.join("/") } };
  if (kind === "sessions") return { to: "/agents/$agent/conversations", params, search: { session: rest.join("/") } };
  return { to: "/agents/$agent/files", params, search: { path } };
}
