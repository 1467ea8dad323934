import type { FileSummary } from "../service/files/read-files.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";

/**
 * The largest file that is a resource. A larger one would fill a model's context at once; models
 * read it in parts with `memory_get`.
 */
export const MAX_RESOURCE_BYTES = 1_000_000;

/** Returns the URI of an agent's file. The path's slashes stay; everything else is escaped. */
export function fileUri(agentId: string, path: string): string {
  return `${root(agentId)}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Returns the template (RFC 6570) of all file URIs of an agent. */
export function fileUriTemplate(agentId: string): string {
  return `${root(agentId)}{+path}`;
}

/**
 * Returns the path in the URI of one of the agent's files; undefined for any other URI. The URI is
 * split as text, and a path with a `.` or `..` segment is refused: a URL parser, here or on the way
 * to a server, would resolve it to another resource.
 */
export function pathOfUri(agentId: string, uri: string): string | undefined {
  if (!uri.startsWith(root(agentId))) return undefined;
  try {
    const path = decodeURIComponent(uri.slice(root(agentId).length));
    return path === "" || path.split("/").some((segment) => segment === "." || segment === "..") ? undefined : path;
  } catch {
    return undefined;
  }
}

/** Describes a file as an entry in a list of resources. */
export function describeFile(memory: MemoryAccess, file: FileSummary) {
  return {
    uri: fileUri(memory.agentId, file.path),
    name: file.path,
    mimeType: mimeType(file.path),
    size: file.size,
    annotations: { lastModified: file.mtime },
  };
}

/**
 * Returns the media type of a file. It is never HTML or a script's type, whatever the name says,
 * because a memory holds text to read.
 */
export function mimeType(path: string): string {
  return /\.(md|markdown|mdx)$/i.test(path) ? "text/markdown" : "text/plain";
}

function root(agentId: string): string {
  return `recollect://agents/${agentId}/files/`;
}
