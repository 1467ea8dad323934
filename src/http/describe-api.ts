import type { App } from "./context.ts";

const TAGS = [
  { name: "Files", description: "An agent's documents" },
  { name: "Sessions", description: "An agent's conversations" },
  { name: "Facts", description: "Single statements in long-term memory" },
  { name: "Tools", description: "What an agent's model is given, and MCP" },
  { name: "Agents", description: "Profiles, each with a memory of its own" },
  { name: "Index", description: "What an agent's memory is made of, and what is under way" },
  { name: "Keys", description: "Who may ask" },
  { name: "Tenants", description: "Who owns agents" },
  { name: "Routing", description: "Which agent a message goes to" },
  { name: "Jobs", description: "Background work" },
  { name: "Administration", description: "Audit, erasures, usage, migration" },
  { name: "Health", description: "Probes of an orchestrator" },
];

export type ApiDocument = ReturnType<App["getOpenAPI31Document"]>;

/** The OpenAPI 3.1 document of the app's routes. Hono's pattern of a parameter with slashes is no part of OpenAPI's paths. */
export function describeApi(app: App, version: string): ApiDocument {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Recollect",
      version,
      description: "Memory for AI agents: files, conversations and facts in, hybrid search out.",
    },
    servers: [{ url: "/", description: "This server" }],
    tags: TAGS,
  });
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [path.replaceAll("{.+}", ""), item]);
  return { ...document, paths: Object.fromEntries(paths) };
}
