import {
  BaseLlm,
  type BaseLlmConnection,
  type BaseMemoryService,
  InMemorySessionService,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  PRELOAD_MEMORY,
  Runner,
} from "@google/adk";

/** A model that says "Noted." and keeps what it was sent. */
class ScriptedLlm extends BaseLlm {
  readonly sent: string[] = [];

  override async *generateContentAsync(request: LlmRequest): AsyncGenerator<LlmResponse, void> {
    this.sent.push(JSON.stringify([request.config?.systemInstruction, request.contents]));
    yield { content: { role: "model", parts: [{ text: "thinking", thought: true }, { text: "Noted." }] } };
  }

  override connect(): Promise<BaseLlmConnection> {
    throw new Error("The scripted model has no live connection.");
  }
}

const APP = "shop";
const sessions = new InMemorySessionService();

/**
 * Runs one turn of an agent that is given memories before its model is called, adds the session to
 * the memory, and returns what the model was sent.
 */
export async function turn(
  memoryService: BaseMemoryService,
  { user, session, said }: { user: string; session: string; said: string },
): Promise<string> {
  const key = { appName: APP, userId: user, sessionId: session };
  if (!(await sessions.getSession(key))) await sessions.createSession(key);
  const model = new ScriptedLlm({ model: "scripted" });
  const agent = new LlmAgent({ name: "clerk", model, tools: [PRELOAD_MEMORY] });
  const runner = new Runner({ appName: APP, agent, sessionService: sessions, memoryService });
  const newMessage = { role: "user", parts: [{ text: said }] };
  for await (const event of runner.runAsync({ userId: user, sessionId: session, newMessage }))
    if (event.errorMessage) throw new Error(event.errorMessage);
  const ended = await sessions.getSession(key);
  if (ended) await memoryService.addSessionToMemory(ended);
  return model.sent.join("\n");
}
