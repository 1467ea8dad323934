/** Where embeddings come from, as the environment and the settings name it. */
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
