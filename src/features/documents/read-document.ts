import { sha256OfBytes } from "../../base/ids.ts";
import { readFile } from "../../db/agent/files/files.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import type { FileHooks } from "../../service/files/file-hooks.ts";
import type { DocumentConverter } from "./convert-documents.ts";

/**
 * Makes the hook that reads documents. If a document's hash equals the original's of the file that
 * is stored at the path, the stored text is the answer, and the document is not read again.
 */
export function documentReader({ convert }: Pick<DocumentConverter, "convert">): FileHooks["readDocument"] {
  return async (deps, tenantId, agent, path, document) => {
    const { type, bytes } = document;
    const size = bytes.length;
    const hash = await sha256OfBytes(bytes);
    const stored = agent && (await withAgentReads(deps.db, agent, (tx) => readFile(tx, agent.schema, path)));
    if (stored?.original?.hash === hash) return { content: stored.content, original: stored.original };
    const { content, pages } = await convert(tenantId, document);
    return { content, original: { hash, type, size, pages } };
  };
}
