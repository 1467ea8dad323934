/** The sources of embeddings, as the environment and the settings name them. */
export const PROVIDERS = [
  "auto",
  "openai",
  "gemini",
  "voyage",
  "mistral",
  "ollama",
  "openai-compatible",
  "local",
  "builtin",
  "none",
] as const;
