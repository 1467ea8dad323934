import { AppError } from "../base/errors.ts";
import { type BuiltinModels, openBuiltinRerankers } from "./builtin-reranker.ts";
import type { ChatModel, ModelEndpoint } from "./chat-model.ts";
import { createChatReranker } from "./chat-reranker.ts";
import { createEndpointReranker } from "./endpoint-reranker.ts";
import { createGeminiChat } from "./gemini-chat.ts";
import { createModelGuard, guardChat, guardReranker, type ModelGuard } from "./model-guard.ts";
import { createOpenAiChat } from "./openai-chat.ts";
import type { Reranker } from "./reranker.ts";

/**
 * The models that an operator has configured. The operator sets addresses and keys; tenants' settings choose a model's
 * name.
 */
interface ModelsConfig {
  readonly chat: {
    provider: "openai" | "gemini" | "openai-compatible" | undefined;
    model: string | undefined;
    baseUrl: string | undefined;
    apiKey: string | undefined;
  };
  readonly rerank: {
    baseUrl: string | undefined;
    /** By provider: `cohere`, `voyage`, `cohere-compatible`. */
    keys: Readonly<Record<string, string | undefined>>;
  };
}

const DEFAULT_CHAT_MODELS = { openai: "gpt-4.1-mini", gemini: "gemini-2.5-flash", "openai-compatible": undefined };
const DEFAULT_RERANK_MODELS: Readonly<Record<string, string>> = { cohere: "rerank-v3.5", voyage: "rerank-2.5" };

/** The chat models and rerankers of this process. */
export interface Models {
  /** @throws AppError `config_invalid` when the operator has set up none */
  chat(model: string | undefined): ChatModel;
  /** @throws AppError `config_invalid` when the provider has no key or address, or needs a model's name */
  reranker(provider: string, model: string | undefined): Reranker;
  /** Closes the models that run in the process. */
  close(): Promise<void>;
}

/**
 * Adapters of servers are light and hold no connection, so each call creates one. The state of a server is kept, and so is
 * a model that runs here.
 */
export function openModels({ chat, rerank }: ModelsConfig, builtin: BuiltinModels): Models {
  const rerankers = openBuiltinRerankers(builtin);
  const chatGuard = createModelGuard();
  const rerankGuards = new Map<string, ModelGuard>();
  const guardOf = (server: string): ModelGuard => {
    const guard = rerankGuards.get(server) ?? createModelGuard();
    rerankGuards.set(server, guard);
    return guard;
  };
  const openChat = (model: string | undefined): ChatModel => {
    const { provider } = chat;
    if (provider === undefined)
      throw new AppError("config_invalid", "No chat model is set up on this server: set RECOLLECT_CHAT_PROVIDER.");
    const name = model ?? chat.model ?? DEFAULT_CHAT_MODELS[provider];
    if (name === undefined)
      throw new AppError("config_invalid", "The chat model has no name: set RECOLLECT_CHAT_MODEL.");
    const endpoint: ModelEndpoint = { ...chat, provider, model: name };
    return guardChat(provider === "gemini" ? createGeminiChat(endpoint) : createOpenAiChat(endpoint), chatGuard);
  };
  return {
    chat: openChat,
    reranker: (provider, model) => {
      if (provider === "chat") return createChatReranker(openChat(model));
      const name = model ?? DEFAULT_RERANK_MODELS[provider];
      if (name === undefined)
        throw new AppError("config_invalid", "The reranker has no model: set query.rerank.model.");
      if (provider === "builtin") return guardReranker(rerankers.get(name), guardOf(`builtin ${name}`));
      const apiKey = rerank.keys[provider];
      if (provider !== "cohere-compatible" && apiKey === undefined)
        throw new AppError("config_invalid", `No key for ${provider} is set up on this server.`);
      const baseUrl = provider === "cohere-compatible" ? rerank.baseUrl : undefined;
      return guardReranker(createEndpointReranker({ provider, model: name, apiKey, baseUrl }), guardOf(provider));
    },
    close: () => rerankers.close(),
  };
}
