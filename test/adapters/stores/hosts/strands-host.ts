import {
  Agent,
  InvocationTrigger,
  type MemoryStore,
  type Message,
  Model,
  type ModelStreamEvent,
} from "@strands-agents/sdk";

/** A model that says "Noted.", after the call of a tool if there is one, and keeps what it was sent. */
class ScriptedModel extends Model {
  readonly sent: string[] = [];
  readonly call: { name: string; input: object } | undefined;

  constructor(call: { name: string; input: object } | undefined) {
    super();
    this.call = call;
  }

  override updateConfig(): void {}

  override getConfig(): { modelId: string } {
    return { modelId: "scripted" };
  }

  override async *stream(messages: Message[]): AsyncIterable<ModelStreamEvent> {
    this.sent.push(JSON.stringify(messages));
    yield { type: "modelMessageStartEvent", role: "assistant" };
    if (this.call && this.sent.length === 1) {
      yield {
        type: "modelContentBlockStartEvent",
        start: { type: "toolUseStart", name: this.call.name, toolUseId: "call-1" },
      };
      const input = JSON.stringify(this.call.input);
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "toolUseInputDelta", input } };
      yield { type: "modelContentBlockStopEvent" };
      yield { type: "modelMessageStopEvent", stopReason: "toolUse" };
      return;
    }
    yield { type: "modelContentBlockStartEvent" };
    yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text: "Noted." } };
    yield { type: "modelContentBlockStopEvent" };
    yield { type: "modelMessageStopEvent", stopReason: "endTurn" };
  }
}

/** When messages are handed over: after every turn. */
export const everyTurn = () => ({ trigger: new InvocationTrigger() });

/**
 * Runs one turn of an agent with a store, and returns what its model was sent: one text for each
 * call.
 *
 * @param call a call of a tool that the model makes first
 */
export async function turn(
  store: MemoryStore,
  said: string,
  call?: { name: string; input: object },
): Promise<string[]> {
  const model = new ScriptedModel(call);
  const agent = new Agent({ model, printer: false, memoryManager: { stores: [store], addToolConfig: true } });
  await agent.invoke(said);
  await agent.memoryManager?.flush();
  return model.sent;
}
