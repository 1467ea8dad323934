import { createRoute } from "@hono/zod-openapi";
import type { MemoryTool } from "../../service/tools/memory-tool.ts";
import { MEMORY_TOOLS } from "../../service/tools/memory-tools.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, named, needs } from "../schemas.ts";
import { onceHeaders, writerOf } from "../writer.ts";

/** `memory_search` as `MemorySearch`. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** POST each tool of a model. */
export function registerToolsCall(app: App, deps: HttpDeps): void {
  for (const tool of MEMORY_TOOLS) registerTool(app, deps, tool);
}

function registerTool(app: App, { service }: HttpDeps, tool: MemoryTool): void {
  const name = pascalCase(tool.name);
  const route = createRoute({
    method: "post",
    path: `/v1/agents/{agentId}/tools/${tool.name}`,
    operationId: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    tags: ["Tools"],
    summary: tool.title,
    ...needs(tool.scope),
    request: {
      ...(tool.scope === "agent:write" ? { headers: onceHeaders } : {}),
      params: agentParam,
      body: { required: true, ...json(named(tool.input, `${name}Input`), "The tool's input") },
    },
    responses: { 200: json(named(tool.output, `${name}Output`), "The tool's output"), ...errorResponses },
  });
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(
      await tool.run(
        service,
        tool.scope === "agent:write" ? await writerOf(c) : c.get("caller"),
        agentId,
        c.req.valid("json"),
      ),
      200,
    );
  });
}
