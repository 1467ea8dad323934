import {
  Annotation,
  type BaseStore,
  InMemoryStore,
  type LangGraphRunnableConfig,
  StateGraph,
} from "@langchain/langgraph";

/** LangGraph's own store, which ours is compared with. */
export function ownStore(): BaseStore {
  return new InMemoryStore();
}

const Turn = Annotation.Root({ said: Annotation<string>(), found: Annotation<string[]>() });

/**
 * Runs a graph of two nodes over a store: one searches the memories of a user, the other stores what
 * the user says. Returns the texts that the search found.
 */
export async function turn(store: BaseStore, user: string, said: string): Promise<string[]> {
  const memories = ["memories", user];
  const graph = new StateGraph(Turn)
    .addNode("search", async ({ said: query }, config: LangGraphRunnableConfig) => ({
      found: ((await config.store?.search(memories, { query, limit: 1 })) ?? []).map(({ value }) => String(value.text)),
    }))
    .addNode("keep", async (state, config: LangGraphRunnableConfig) => {
      await config.store?.put(memories, crypto.randomUUID(), { text: state.said });
      return {};
    })
    .addEdge("__start__", "search")
    .addEdge("search", "keep")
    .compile({ store });
  return (await graph.invoke({ said, found: [] })).found;
}
