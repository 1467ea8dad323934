import type { AgentClient, SearchAnswer, SearchInput } from "../../client/client.ts";
import { unlessAbsent } from "./read-messages.ts";

type Hit = SearchAnswer["results"][number];

/** Returns the text of a hit without the line that names its source. */
export function passageOf({ snippet, text, citation }: Pick<Hit, "snippet" | "text" | "citation">): string {
  const source = `\n\nSource: ${citation}`;
  return text ?? (snippet.endsWith(source) ? snippet.slice(0, -source.length) : snippet);
}

/**
 * Returns the hits of a search; none if they are only the nearest passages and probably no answer.
 *
 * @throws an error if the memory could not be searched
 */
export async function likelyHits(
  memory: AgentClient,
  query: string,
  options: Omit<SearchInput, "query">,
): Promise<Hit[]> {
  if (query.trim() === "") return [];
  const answer = await unlessAbsent(memory.search(query, options));
  if (answer?.unavailable) throw new Error(`${answer.warning} ${answer.action}`);
  return answer?.certain === false ? [] : (answer?.results ?? []);
}
