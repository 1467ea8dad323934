/**
 * What every client of OpenAI's SDK is made with: else it takes these from the environment and tells them to any server, and logs
 * what is sent.
 */
export const OPENAI_ISOLATION = {
  organization: null,
  project: null,
  adminAPIKey: null,
  webhookSecret: null,
  logLevel: "off",
} as const;
