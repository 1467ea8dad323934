/**
 * Options of every client of OpenAI's SDK. Without them the SDK takes these values from the
 * environment, sends them to any server, and logs requests.
 */
export const OPENAI_ISOLATION = {
  organization: null,
  project: null,
  adminAPIKey: null,
  webhookSecret: null,
  logLevel: "off",
} as const;
