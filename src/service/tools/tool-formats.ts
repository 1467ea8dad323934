import { z } from "zod";
import type { MemoryTool, ToolHints } from "./define-tool.ts";

/** The APIs that definitions can be made for. */
export const TOOL_FORMATS = ["openai", "anthropic", "mcp", "gemini"] as const;
export type ToolFormat = (typeof TOOL_FORMATS)[number];

type JsonSchema = { type: "object"; [keyword: string]: unknown };

/** A tool as the Model Context Protocol lists it. The other formats are derived from this form. */
export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  annotations: ToolHints & { title: string; openWorldHint: false };
}

/** Returns the definition of a tool for a model. */
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

/**
 * Returns the value of `tools` in a request to the API. Gemini takes one entry that contains all
 * tools.
 */
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

/** Returns the JSON schema of a tool's input. */
function toJsonSchema(schema: z.ZodObject): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      // Removes patterns and lengths. They are useless to a model, because the tool checks them,
      // and servers that turn a schema into a grammar (llama.cpp) refuse patterns and lengths in
      // the thousands. Also removes the range of safe integers, which zod adds by itself.
      for (const keyword of ["pattern", "minLength", "maxLength"] as const) delete jsonSchema[keyword];
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { type: "object", ...plain } as JsonSchema;
}

/**
 * Keywords that Gemini's `Schema` has (ai.google.dev/api/caching#Schema). Gemini refuses a request
 * with any other keyword.
 */
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
