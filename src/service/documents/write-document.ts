import { sha256OfBytes } from "../../base/ids.ts";
import { readFile } from "../../db/agent/files/files.ts";
import type { FileOriginal } from "../../db/agent/files/original.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { admitToAgent } from "../agent/admit.ts";
import { lookUpUsable } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { Claim } from "../files/file-origins.ts";
import type { ExpectedHashes, WrittenFile } from "../files/write-batch.ts";
import { checkFilePath, writeFiles } from "../files/write-files.ts";
import type { DocumentConverter, SentDocument } from "./convert-documents.ts";

/** The dependencies of use cases that store documents. */
export interface DocumentDeps extends FileDeps {
  readonly documents: DocumentConverter;
}

interface DocumentInput {
  path: string;
  document: SentDocument;
  mtime?: Date | undefined;
  expected?: ExpectedHashes;
  claim?: Claim | undefined;
}

/** The text of a document, with the data of the original. */
interface ReadDocument {
  content: string;
  original: FileOriginal;
}

/**
 * Stores the text of a document as the content of a file. If the document's hash equals the stored
 * original's, the document is not read again.
 *
 * @throws AppError as `writeFiles` and `DocumentConverter.convert`; then nothing has changed
 */
export async function writeDocument(
  deps: DocumentDeps,
  caller: Caller,
  agentId: string,
  { path, document, mtime, expected = new Map(), claim }: DocumentInput,
): Promise<WrittenFile> {
  const checked = checkFilePath(path);
  // If this write creates the agent, it does so only after the document has been read.
  await admitToAgent(deps, caller, "agent:write", agentId);
  const { agent } = (await lookUpUsable(deps, caller, agentId)).found;
  const read = await readDocument(deps, caller.tenantId, agent, checked, document);
  const put = [{ path: checked, mtime, ...read }];
  const { files } = await writeFiles(deps, caller, agentId, { put, delete: [], expected, claim });
  return files[0] as WrittenFile;
}

/**
 * Returns the stored text of the file at a path if it was read from this same document; otherwise
 * reads the document.
 */
export async function readDocument(
  deps: DocumentDeps,
  tenantId: string,
  agent: KnownAgent | undefined,
  path: string,
  document: SentDocument,
): Promise<ReadDocument> {
  const { type, bytes } = document;
  const size = bytes.length;
  const hash = await sha256OfBytes(bytes);
  const stored = agent && (await withAgentReads(deps.db, agent, (tx) => readFile(tx, agent.schema, path)));
  if (stored?.original?.hash === hash) return { content: stored.content, original: stored.original };
  const { content, pages } = await deps.documents.convert(tenantId, document);
  return { content, original: { hash, type, size, pages } };
}
