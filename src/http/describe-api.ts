import type { App } from "./context.ts";

const TAGS = [
  { name: "Files", description: "An agent's documents" },
  { name: "Sessions", description: "An agent's conversations" },
  { name: "Facts", description: "Single statements in long-term memory" },
  { name: "Tools", description: "Tools for an agent's model, and MCP" },
  { name: "Agents", description: "Profiles, each with its own memory" },
  { name: "History", description: "Changes of an agent's memory, and snapshots for rollbacks" },
  { name: "Sharing", description: "Memories that agents share with each other" },
  { name: "Branches", description: "Agents copied from other agents, compared and merged" },
  { name: "Evaluation", description: "Questions with their right answers, and how well a search finds these" },
  { name: "Index", description: "An agent's index, its contents and pending work" },
  { name: "Keys", description: "API keys and their rights" },
  { name: "Tenants", description: "Owners of agents" },
  { name: "Routing", description: "Rules that send a message to an agent" },
  { name: "Jobs", description: "Background work" },
  { name: "Administration", description: "Audit, erasures, usage, migration" },
  { name: "Health", description: "Probes for an orchestrator" },
];

export type ApiDocument = ReturnType<App["getOpenAPI31Document"]>;

/**
 * Returns the OpenAPI 3.1 document of the app's routes. Hono marks a parameter that may contain
 * slashes with `{.+}`, which OpenAPI's paths do not allow, so the mark is removed.
 */
export function describeApi(app: App, version: string): ApiDocument {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Recollect",
      version,
      description: "Memory for AI agents: hybrid search over files, conversations and facts.",
      contact: { name: "The operator of this server" },
    },
    servers: [{ url: "/", description: "This server" }],
    tags: TAGS,
  });
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [path.replaceAll("{.+}", ""), item]);
  return { ...document, paths: Object.fromEntries(paths) };
}
