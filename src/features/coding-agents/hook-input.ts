import { z } from "@hono/zod-openapi";

/** The session key has a prefix, and at most 200 characters. */
const MAX_ID_CHARS = 150;
const MAX_WORD_CHARS = 100;

const word = z.string().max(MAX_WORD_CHARS);

/**
 * The input of a hook, as the coding agent sends it. Only these fields are read. The others, such as
 * `transcript_path`, name things on the machine of the agent.
 */
export const hookInput = z.looseObject({
  session_id: z.string().min(1).max(MAX_ID_CHARS),
  hook_event_name: word.openapi({ description: "`UserPromptSubmit`, `SessionStart` and `Stop` are answered" }),
  prompt: z.string().optional().openapi({ description: "The user's message (`UserPromptSubmit`)" }),
  last_assistant_message: z.string().nullish().openapi({ description: "The end of the turn (`Stop`)" }),
  prompt_id: z.string().max(MAX_ID_CHARS).nullish().openapi({ description: "The turn, in Claude Code" }),
  turn_id: z.string().max(MAX_ID_CHARS).nullish().openapi({ description: "The turn, in Codex" }),
  source: word.nullish().openapi({ description: "The author of the prompt: `user`, `sdk`, or a part of the program" }),
  agent_id: word.nullish().openapi({ description: "The subagent in which the hook runs" }),
});

export type HookInput = z.output<typeof hookInput>;

/** The answer to a hook. An empty object changes nothing. */
export const hookAnswer = z.object({
  hookSpecificOutput: z
    .object({
      hookEventName: z.string(),
      additionalContext: z.string().openapi({ description: "What the model is told besides the prompt" }),
    })
    .optional(),
  systemMessage: z.string().optional().openapi({ description: "A warning for the user" }),
});

export type HookAnswer = z.output<typeof hookAnswer>;
