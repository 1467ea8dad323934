import { admitToAgent } from "../agent/admit.ts";
import { lookUpUsable } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { type HookedFileDeps, readDocument, type SentDocument } from "./file-hooks.ts";
import type { Claim } from "./file-origins.ts";
import type { ExpectedHashes, WrittenFile } from "./write-batch.ts";
import { checkFilePath, writeFiles } from "./write-files.ts";

interface DocumentInput {
  path: string;
  document: SentDocument;
  mtime?: Date | undefined;
  expected?: ExpectedHashes;
  claim?: Claim | undefined;
}

/**
 * Stores the text of a document as the content of a file.
 *
 * @throws AppError as `writeFiles` and `readDocument`; then nothing has changed
 */
export async function writeDocument(
  deps: HookedFileDeps,
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
