import { z } from "@hono/zod-openapi";
import { routesOf } from "../../http/route.ts";
import { json, userQuery } from "../../http/schemas.ts";
import { answerHook } from "./answer-hook.ts";
import { hookAnswer, hookInput } from "./hook-input.ts";

/** The coding agents whose hooks are answered, by the last part of the path. */
const HOSTS = { "claude-code": "Claude Code", codex: "Codex" } as const;

/** The input of a hook also lists what runs in the background, which is ignored. */
const MAX_HOOK_VALUES = 5_000;

const route = routesOf("Tools");

const routeOf = (host: keyof typeof HOSTS) =>
  route(`POST /v1/agents/{agentId}/hooks/${host}`, {
    operationId: host === "codex" ? "hooksCodex" : "hooksClaudeCode",
    summary: `Answers a hook of ${HOSTS[host]}: recalls before a turn, stores the messages of the turn`,
    description:
      "`UserPromptSubmit` returns what bears on the prompt as additional context, and stores the prompt in the session " +
      `\`${host}:{session_id}\`. \`SessionStart\` returns the standing instructions, \`Stop\` stores the answer, and any ` +
      "other event changes nothing. A key without `agent:write` recalls, and stores nothing. A prompt is answered within " +
      "two seconds. With `user` the conversation is for this user, and a recall finds this user's memories besides everybody's.",
    scope: "search",
    query: z.object({ user: userQuery }),
    body: json(hookInput, `The input of the hook, as ${HOSTS[host]} sends it`),
    bodyValues: MAX_HOOK_VALUES,
    answer: json(hookAnswer, "The output of the hook"),
    run: (deps, caller, { params, query: { user }, body }) =>
      answerHook({
        deps,
        caller,
        agentId: params.agentId,
        host,
        scope: user === undefined ? undefined : { user },
        input: body,
      }),
  });

export const codingAgentRoutes = [routeOf("claude-code"), routeOf("codex")];
