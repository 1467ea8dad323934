// Compiled, not run: what our adapters return is what each framework asks for.
import type { BaseMemoryService } from "@google/adk";
import type { BaseStore } from "@langchain/langgraph";
import type { MemoryStore } from "@strands-agents/sdk";
import { createMemoryService } from "../../../../src/adapters/adk/adk.ts";
import { createLangGraphStore } from "../../../../src/adapters/langgraph/langgraph.ts";
import { createStrandsMemory } from "../../../../src/adapters/strands/strands.ts";
import { createClient } from "../../../../src/client/client.ts";
import { everyTurn } from "./strands-host.ts";

const client = createClient({ url: "http://127.0.0.1:7420" });
export const store: BaseStore = createLangGraphStore({ client });
export const memory: MemoryStore = createStrandsMemory({ client });
export const eager: MemoryStore = createStrandsMemory({ client, extraction: everyTurn() });
export const service: BaseMemoryService = createMemoryService({ client });
