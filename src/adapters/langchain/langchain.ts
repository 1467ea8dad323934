// biome-ignore-all lint/performance/noBarrelFile: the entry of recollect/langchain names the three forms of memory that LangChain has.
export type { AdapterOptions, MemoryTrouble } from "../shared/adapter-options.ts";
export { RecollectChatHistory, type RecollectChatHistoryInput } from "./chat-history.ts";
export { formatMemory, type MemoryMetadata, RecollectRetriever, type RecollectRetrieverInput } from "./retriever.ts";
export { RecollectStore, type RecollectStoreInput } from "./store.ts";
