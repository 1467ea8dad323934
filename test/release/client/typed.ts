// Compiled under `strict` without the types of Node.js, in a project that has only the client.
import { type AgentClient, createClient, type Fact, type SearchHit } from "@recollect/client";

const memory: AgentClient = createClient({ url: "https://memory.example" }).agent();

export async function ask(question: string): Promise<SearchHit[]> {
  const { results, unavailable, action } = await memory.search(question);
  if (unavailable) throw new Error(action);
  return results;
}

export async function modeOf(question: string): Promise<string> {
  const answer = await memory.search(question);
  return answer.unavailable ? answer.error : answer.mode;
}

export async function remember(scope: Fact["scope"]): Promise<string> {
  const messages = [{ role: "user", content: "I live in Oslo." }] as const;
  await memory.sessions.append({ session: "monday", messages, scope });
  await memory.capture({ messages, scope });
  await memory.facts.add({ text: "Petra lives in Oslo.", scope });
  await memory.facts.add([{ text: "Petra owns the release." }]);
  return (await memory.recall({ message: "Where do I live?", scope })).block;
}
