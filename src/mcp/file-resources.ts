import type { FileSummary } from "../service/files/read-files.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";

/** Larger files would fill a model's context at one stroke; they are read in parts. */
export const MAX_RESOURCE_BYTES = 1_000_000;

/** The URI of an agent's file; a path's slashes stay, everything else is escaped. */
function fileUri(agentId: string, path: string): string {
  return `${root(agentId)}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The template (RFC 6570) that all of them follow. */
export function fileUriTemplate(agentId: string): string {
  return `${root(agentId)}{+path}`;
}

/**
 * The path in the URI of one of the agent's files; undefined for any other. The text is taken apart as it is, and a path with a
 * `.` or `..` in it is none: a URL parser, here or on the way to a server, would make another resource's of it.
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

/** A file as a list of resources has it. */
export function describeFile(memory: MemoryAccess, file: FileSummary) {
  return {
    uri: fileUri(memory.agentId, file.path),
    name: file.path,
    mimeType: mimeType(file.path),
    size: file.size,
    annotations: { lastModified: file.mtime },
  };
}

/** Never HTML or a script's type, whatever the name says: what a memory holds is text to read. */
export function mimeType(path: string): string {
  return /\.(md|markdown|mdx)$/i.test(path) ? "text/markdown" : "text/plain";
}

function root(agentId: string): string {
  return `recollect://agents/${agentId}/files/`;
}
