import { didYouMean } from "../../base/text/nearest.ts";
import type { AgentClient } from "../../client/agent-client.ts";

/** The most files whose paths are compared with a mistyped one. */
const MOST_FILES = 1000;

/**
 * Returns a question with the file that was probably meant: its path differs in letter case only, it is
 * the only file of this name in another folder, or its path is spelt almost alike. The text is empty if
 * there is no such file, or if the key may not list files.
 */
export async function nearestPath(memory: AgentClient, path: string): Promise<string> {
  // A failure of the hint must not hide the error that it belongs to.
  const paths = await memory.files.list({ limit: MOST_FILES }).then(
    ({ files = [] }) => files.map((file) => file.path),
    () => [],
  );
  const wanted = path.toLowerCase();
  const sameName = paths.filter((one) => one.toLowerCase().endsWith(`/${wanted}`));
  const found = paths.find((one) => one.toLowerCase() === wanted) ?? (sameName.length === 1 ? sameName[0] : undefined);
  return found === undefined ? didYouMean(path, paths) : ` Did you mean ${found}?`;
}
