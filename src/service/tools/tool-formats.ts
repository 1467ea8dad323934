import { z } from "zod";
import type { MemoryTool, ToolHints } from "./define-tool.ts";

/** Whose API the definitions are for. */
export const TOOL_FORMATS = ["openai", "anthropic", "mcp", "gemini"] as const;
export type ToolFormat = (typeof TOOL_FORMATS)[number];

type JsonSchema = { type: "object"; [keyword: string]: unknown };

/** A tool as the Model Context Protocol lists it, of which the other formats are made. */
export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  annotations: ToolHints & { title: string; openWorldHint: false };
}

/** The definition of a tool for a model. */
export function defineForModel(tool: MemoryTool): ToolDefinition {
  const { name, title, description, hints } = tool;
  return {
    name,
    title,
    description,
    inputSchema: toJsonSchema(tool.offered),
    annotations: { title, ...hints, openWorldHint: false },
  };
}

/** The value of `tools` in a request to the API; `tools` of Gemini is one entry with all of them. */
export function formatTools(tools: readonly ToolDefinition[], format: ToolFormat): object[] {
  switch (format) {
    case "mcp":
      return [...tools];
    case "openai":
      return tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      }));
    case "anthropic":
      return tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
    case "gemini": {
      const functionDeclarations = tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        parameters: toGeminiSchema(inputSchema),
      }));
      return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }];
    }
  }
}

/** The JSON schema of a tool's input. */
function toJsonSchema(schema: z.ZodObject): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      // Removes keywords that are useless to a model, since the tool checks them, and that servers refuse which turn a
      // schema into a grammar (llama.cpp): patterns, lengths in the thousands. zod adds the range of safe integers by
      // itself.
      for (const keyword of ["pattern", "minLength", "maxLength"] as const) delete jsonSchema[keyword];
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { type: "object", ...plain } as JsonSchema;
}

/** Keywords that Gemini's `Schema` has (ai.google.dev/api/caching#Schema); it refuses a request with any other. */
const GEMINI_KEYWORDS = ["type", "description", "enum", "required", "minimum", "maximum", "minItems", "maxItems"];

function toGeminiSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => GEMINI_KEYWORDS.includes(keyword)));
  const { properties, items } = schema as { properties?: Record<string, object>; items?: object };
  return {
    ...kept,
    ...(properties && { properties: mapValues(properties, toGeminiSchema) }),
    ...(items && { items: toGeminiSchema(items as Record<string, unknown>) }),
  };
}

function mapValues(
  properties: Record<string, object>,
  map: (schema: Record<string, unknown>) => object,
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, map(schema as Record<string, unknown>)]),
  );
}
