import { checkMemoryPath } from "../../agents/memory-path.ts";
import { AppError } from "../../base/errors.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { FileDeps } from "./file-deps.ts";
import type { ExpectedHashes } from "./write-batch.ts";
import { writeFiles } from "./write-files.ts";

/** Deletes one file with its chunks and vectors. @throws AppError `file_not_found`, `file_changed`, `invalid_path`, `agent_not_found` */
export async function deleteFile(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  path: string,
  expected: ExpectedHashes = new Map(),
): Promise<string> {
  const checked = checkMemoryPath(path);
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  const { deleted } = agent
    ? await writeFiles(deps, caller, agentId, { put: [], delete: [checked], expected })
    : { deleted: [] };
  const [gone] = deleted;
  if (gone === undefined)
    throw new AppError("file_not_found", "The agent has no file with this path; list its files to see the paths.");
  return gone;
}
