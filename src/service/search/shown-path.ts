import { isWithin } from "../../settings/extra-paths.ts";
import { parseSessionKey, sessionPath } from "../../settings/memory-path.ts";

/** A path to read, with the lines that a citation names. */
export interface ShownPlace {
  path: string;
  from?: number | undefined;
  lines?: number | undefined;
}

/** Matches `/`, `./` and `file://` at the beginning of a path: no path of a memory has them. */
const ROOT = /^(?:file:\/\/)?(?:\.?\/)*/;
/** The longest text that is read as a citation: a path and its lines. */
const MAX_CHARS = 2_048;
const QUOTES = [
  ["`", "`"],
  ['"', '"'],
  ["'", "'"],
  ["[", "]"],
  ["(", ")"],
  ["<", ">"],
] as const;
/** `#L4-L9`, `#L4`, `#4-9`, `:4-9`, ` (lines 4-9)`, `, line 4`, and the pages that a citation of a document ends with. */
const LINES =
  /(?:#L?|:L?|,? \(?lines? )(\d{1,9})(?:\s?(?:[-–]|to)\s?L?(\d{1,9}))?\)?(?:, pages? \d{1,9}(?:-\d{1,9})?)?$/i;

/**
 * Returns the places that a model may mean by a path, the path itself first: other tools show it with
 * its lines, as a citation or in quotes, and models put `/` or `./` before it. A file may have any of
 * these names, so each of them is tried.
 */
export function placesOf(agentId: string, given: string): ShownPlace[] {
  if (given.length > MAX_CHARS || given.trim() === "") return [{ path: given }];
  const plain = unquoted(linked(given)).replaceAll("\\", "/");
  const relative = withoutRoot(agentId, plain);
  const [, from, to] = LINES.exec(relative) ?? [];
  const cited = from === undefined ? [] : [citedPlace(relative.replace(LINES, ""), Number(from), Number(to ?? from))];
  // No path begins with a dot and a slash, so nothing is lost if such a path is not tried.
  const literal = given.startsWith("./") ? [] : [{ path: given }];
  // Notes link to each other without the ending.
  const note = /\.\w{1,8}$/.test(relative) ? [] : [{ path: `${relative}.md` }];
  const places = [...literal, { path: relative }, ...cited, ...note].flatMap((place) => [
    place,
    ...namesOf(agentId, place.path).map((path) => ({ ...place, path })),
  ]);
  const seen = new Set<string>();
  return places.filter(({ path }) => path !== "" && !seen.has(path) && seen.add(path));
}

/** Matches a fact as people name it: `fact 12`, `facts #12`, `fact:12`. */
const SAID_FACT = /^facts?[\s:#/-]{1,3}([1-9]\d{0,17})$/i;

/**
 * Returns the paths for the id of a fact and the key of a session, for other spellings of the folders (`FACTS/1`,
 * `session/monday`), and for a session's path with an ending.
 */
function namesOf(agentId: string, path: string): string[] {
  const [, fact] = SAID_FACT.exec(path) ?? [];
  const [, session] = /^sessions?\/(.+?)(?:\.(?:md|jsonl?|txt))?$/i.exec(path) ?? [];
  const others = fact ? [`facts/${fact}`] : session ? [`sessions/${session}`] : [];
  return [...spelledOf(agentId, path), ...others];
}

function spelledOf(agentId: string, path: string): string[] {
  const [root = ""] = /^(?:facts|sessions)\//i.exec(path) ?? [];
  const small = path.toLowerCase();
  if (root !== root.toLowerCase()) return [`${root.toLowerCase()}${path.slice(root.length)}`, small];
  if (root !== "" && small !== path) return [small];
  if (/^[1-9]\d{0,17}$/.test(path)) return [`facts/${path}`];
  // A path without a folder may be the key of a session, or `monday` in `sessions/monday`.
  if (!path.startsWith(`agent:${agentId}:`) && path.includes("/")) return [];
  try {
    return [sessionPath(parseSessionKey(agentId, path))];
  } catch {
    return [];
  }
}

function citedPlace(path: string, first: number, last: number): ShownPlace {
  return { path, from: Math.max(1, first), lines: Math.max(1, last - first + 1) };
}

function unquoted(given: string): string {
  const text = given.trim().replace(/^source:\s*/i, "");
  const pair = QUOTES.find(([open, close]) => text.length > 2 && text.startsWith(open) && text.endsWith(close));
  return pair ? text.slice(1, -1).trim() : text;
}

/** Returns the path in a link of a note: `[[path]]`, `[[path#heading|name]]`, `[name](path)`. */
function linked(text: string): string {
  const [, page, target] = /^!?(?:\[\[([^\][]+)\]\]|\[[^\][]*\]\(([^()\s]+)\))$/.exec(text.trim()) ?? [];
  if (target !== undefined) return target;
  return page?.replace(/\|.*$/s, "").replace(/#(?!L?\d).*$/s, "") ?? text;
}

/** Returns a path without `/`, `./` or `file://` before it, and the path of a resource's URI. */
function withoutRoot(agentId: string, path: string): string {
  const uri = `recollect://agents/${agentId}/files/`;
  if (!path.startsWith(uri)) return path.replace(ROOT, "");
  try {
    return decodeURIComponent(path.slice(uri.length));
  } catch {
    return path.slice(uri.length);
  }
}

/** Matches a path that may be a folder: its last part has no dot, no `*` and no `#`. */
const FOLDER = /^[^*]*(?<=^|\/)[^*/.#]+$/;

/**
 * Returns the patterns that a search compares paths with. Removes `/` and `./` from the beginning of a
 * pattern, since no path has them, and adds the pattern without the lines of a citation.
 *
 * @param folders the folders of the server in the memory, whose files have absolute paths
 */
export function patternsOf(paths: readonly string[], folders: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const isAbsolute = folders.some((folder) => isWithin(path, folder) || folder.startsWith(path.replace(/\*.*$/, "")));
    const relative = isAbsolute ? path : path.replace(ROOT, "");
    const named = relative === "" ? "*" : relative;
    // A folder may come without its slash.
    if (FOLDER.test(named) && named.length < MAX_CHARS) return [named, `${named}/`];
    return LINES.test(named) && named.length <= MAX_CHARS ? [named, named.replace(LINES, "")] : [named];
  });
}
