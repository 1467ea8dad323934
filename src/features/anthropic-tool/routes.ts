import { z } from "@hono/zod-openapi";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { runMemoryCommand } from "./run-anthropic-command.ts";

/**
 * The schema is not stricter, because a malformed command is answered to the model that sent it.
 */
const memoryCommand = z.looseObject({
  command: z.string().openapi({ description: "view, create, str_replace, insert, delete or rename" }),
});
/** A command has at most six JSON values. Further fields that a model invents are ignored. */
const MAX_COMMAND_VALUES = 100;
const commandResult = z.object({ content: z.string(), is_error: z.literal(true).optional() });

const route = routesOf("Tools");

export const anthropicToolRoutes = [
  route("POST /v1/agents/{agentId}/tools/memory", {
    operationId: "anthropicMemory",
    summary: "Anthropic's memory tool (memory_20250818): a command, as the model sent it, on the agent's files",
    description:
      "`/memories/a.md` is the agent's file `a.md`. Commands that show contents (`view`, `str_replace`, `insert`) also " +
      "need the scope `agent:read`. A command that fails is answered with 200 and `is_error`.",
    scope: "agent:write",
    body: json(memoryCommand, "The tool's input"),
    bodyValues: MAX_COMMAND_VALUES,
    answer: json(commandResult, "The content of the tool_result"),
    run: (deps, caller, { params, body }) => runMemoryCommand(deps, caller, params.agentId, body),
  }),
];
