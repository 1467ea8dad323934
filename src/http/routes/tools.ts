import { z } from "@hono/zod-openapi";
import type { Caller } from "../../service/core/core-deps.ts";
import type { Deps } from "../../service/deps.ts";
import { callTool, type MemoryTool } from "../../service/tools/define-tool.ts";
import { formatOfferedTools } from "../../service/tools/offer-tools.ts";
import { TOOL_FORMATS } from "../../service/tools/tool-formats.ts";
import { MEMORY_TOOLS, memorySearchTool } from "../../service/tools/tool-table.ts";
import { routesOf } from "../route.ts";
import { json, jsonObject, named, userQuery } from "../schemas.ts";
import { onceHeaders } from "../write-headers.ts";

const format = z.enum(TOOL_FORMATS);
const listQuery = z.strictObject({
  format: format.default("openai"),
  sessionKey: z.string().min(1).max(512).optional().openapi({
    description: "The conversation: with `citations: auto` the prompt then says whether to cite in it",
  }),
});
const toolList = z
  .object({
    format,
    tools: z.array(jsonObject).openapi({ description: "The definitions, to pass to the model's API unchanged" }),
    prompt: z.string().openapi({
      description: "The section `Memory Recall` for the system prompt; empty when there are no tools",
    }),
  })
  .openapi("ToolDefinitions");

/** Facts about a tool's route that its model need not know. */
const MORE: Readonly<Record<string, string>> = {
  memory_search:
    "`POST …/search` is the same for programs. While the memory cannot be searched, the status is 200 and the answer " +
    "has `unavailable: true` and no results.",
  memory_recall:
    "While the memory cannot be searched, the status is 200 and the answer has `unavailable: true` and no facts.",
  memory_forget: "A query also needs the scope `search`.",
};

/** The user for whom a tool stores. Tools that only read take none, because it would not narrow them. */
const forUser = z.object({
  user: userQuery.openapi({
    description: "The user for whom the tool stores, unless the call has a `scope` or replaces a fact of everybody",
  }),
});

const route = routesOf("Tools");

/** The tools that a model is given, each tool of the table under its own route. */
export const toolRoutes = [
  ...MEMORY_TOOLS.flatMap(toolRoutesOf),
  route("GET /v1/agents/{agentId}/tools", {
    operationId: "toolsList",
    summary: "The tools for the agent's model, and the prompt section about them",
    description:
      "Both fit the `format`. Carry out a model's tool call with `POST …/tools/<name>` and its arguments as the body.",
    scope: "search",
    query: listQuery,
    answer: json(
      toolList,
      "The tools that the key may call, in that API's format; none while the agent's memory is off",
    ),
    run: async (deps, caller, { params, query }) => {
      const { tools, ...rest } = await formatOfferedTools(deps, caller, params.agentId, query);
      return { ...rest, tools: tools as Record<string, unknown>[] };
    },
  }),
];

/**
 * Returns the routes of a tool. They take what models send, see `readAsMeant`; with `user` in the
 * address a tool that writes does so for this user. The search tool has a
 * second route at `/search`, for programs that give no model any tools, which takes only what the
 * schema says.
 */
function toolRoutesOf(tool: MemoryTool) {
  const name = pascalCase(tool.name);
  const entry = {
    summary: tool.title,
    description: [tool.description, MORE[tool.name]].filter(Boolean).join(" "),
    scope: tool.scope,
    headers: tool.scope === "agent:write" ? onceHeaders : undefined,
    body: json(named(tool.input, `${name}Input`), "The tool's input"),
    answer: json(named(tool.output, `${name}Output`), "The tool's output"),
  };
  type Asked = { params: { agentId: string }; query: { user?: string | undefined }; body: unknown };
  const its = route(`POST /v1/agents/{agentId}/tools/${tool.name}`, {
    ...entry,
    operationId: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    query: tool.scope === "agent:write" ? forUser : z.object({}),
    // Chat APIs give the arguments of a call as a text of JSON, and programs send this text unchanged.
    taken: z.union([jsonObject, z.string()]),
    run: (deps: Deps, caller: Caller, { params, query: { user }, body }: Asked) =>
      callTool(tool, deps, caller, params.agentId, body, user === undefined ? {} : { scope: { user } }),
  });
  if (tool !== memorySearchTool) return [its];
  const forPrograms = route("POST /v1/agents/{agentId}/search", {
    ...entry,
    operationId: "agentsSearch",
    run: (deps: Deps, caller: Caller, { params, body }: Omit<Asked, "query">) =>
      tool.run(deps, caller, params.agentId, body),
  });
  return [its, forPrograms];
}

/** Returns `memory_search` as `MemorySearch`. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
