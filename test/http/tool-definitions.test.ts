import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recallPrompt } from "../../src/service/tools/offer-tools.ts";
import { TOOL_FORMATS } from "../../src/service/tools/tool-formats.ts";
import { MEMORY_TOOLS } from "../../src/service/tools/tool-table.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

interface Definitions {
  format: string;
  // biome-ignore lint/suspicious/noExplicitAny: four shapes, each looked into by its own test
  tools: any[];
  prompt: string;
}

interface Schema {
  description?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

/** Returns the parameters of a schema that have no description. */
function silentParameters(place: string, { anyOf = [], oneOf = [], items, properties = {} }: Schema): string[] {
  const parts = [...anyOf, ...oneOf, ...(items ? [items] : [])];
  return [
    ...parts.flatMap((part) => silentParameters(place, part)),
    ...Object.entries(properties).flatMap(([name, value]) => [
      ...((value.description ?? "").length < 10 ? [`${place}.${name}`] : []),
      ...silentParameters(`${place}.${name}`, value),
    ]),
  ];
}

describe("GET …/tools", () => {
  let app: TestApp;
  const get = async (query: string, { key, agent = "main" }: { key?: string; agent?: string } = {}) =>
    (await app.call<Definitions>("GET", `/v1/agents/${agent}/tools${query}`, undefined, key)).body;
  const names = MEMORY_TOOLS.map((tool) => tool.name);
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
  });
  afterAll(() => app.drop());

  test("each format is the shape that its API takes, of the same tools", async () => {
    const [openai, anthropic, mcp, gemini] = await Promise.all(TOOL_FORMATS.map((format) => get(`?format=${format}`)));
    expect(openai?.tools.map((tool) => [tool.type, Object.keys(tool.function)])).toEqual(
      names.map(() => ["function", ["name", "description", "parameters"]]),
    );
    expect(anthropic?.tools.map((tool) => Object.keys(tool))).toEqual(
      names.map(() => ["name", "description", "input_schema"]),
    );
    expect(mcp?.tools.map((tool) => Object.keys(tool))).toEqual(
      names.map(() => ["name", "title", "description", "inputSchema", "annotations"]),
    );
    expect(gemini?.tools.map((tool) => Object.keys(tool))).toEqual([["functionDeclarations"]]);
    const ofGemini = gemini?.tools[0].functionDeclarations as { name: string; parameters: object }[];
    for (const [index, name] of names.entries()) {
      const schema = mcp?.tools[index].inputSchema;
      expect([openai?.tools[index].function.name, anthropic?.tools[index].name, mcp?.tools[index].name]).toEqual(
        Array(3).fill(name),
      );
      expect(openai?.tools[index].function.parameters).toEqual(schema);
      expect(anthropic?.tools[index].input_schema).toEqual(schema);
      expect(ofGemini[index]?.name).toBe(name);
    }
    expect(await get("")).toEqual(openai);
    expect((await app.call("GET", "/v1/agents/main/tools?format=other")).status).toBe(400);
  });

  test("no schema has what a server that makes a grammar of it refuses", async () => {
    const { tools } = await get("?format=openai");
    for (const tool of tools)
      expect(JSON.stringify(tool.function.parameters)).not.toMatch(/"(pattern|minLength|maxLength|\$schema|\$ref)":/);
  });

  test("Gemini gets no keyword that its schemas do not have", async () => {
    const { tools } = await get("?format=gemini");
    const keywords = new Set<string>();
    const look = (schema: Record<string, unknown>) => {
      for (const [keyword, value] of Object.entries(schema)) {
        keywords.add(keyword);
        if (keyword === "properties") for (const one of Object.values(value as object)) look(one);
        if (keyword === "items") look(value as Record<string, unknown>);
      }
    };
    for (const { parameters } of tools[0].functionDeclarations) look(parameters);
    expect(keywords).toContain("properties");
    for (const refused of ["additionalProperties", "$schema", "maxLength", "pattern", "format", "const", "oneOf"])
      expect(keywords).not.toContain(refused);
  });

  test("in each format every parameter says what it is, nested ones too", async () => {
    for (const format of TOOL_FORMATS) {
      const { tools } = await get(`?format=${format}`);
      const schemas = tools.flatMap((tool) => tool.functionDeclarations ?? [tool.function ?? tool]);
      expect(schemas.map((tool) => tool.name)).toEqual(names);
      const silent = schemas.flatMap((tool) =>
        silentParameters(tool.name, tool.parameters ?? tool.input_schema ?? tool.inputSchema),
      );
      expect(silent).toEqual([]);
    }
  });

  test("only what the key may call is offered", async () => {
    const readers = MEMORY_TOOLS.filter((tool) => tool.scope === "search").map((tool) => tool.name);
    const search = await get("?format=mcp", { key: await app.key(["search"]) });
    expect(search.tools.map((tool) => tool.name)).toEqual(readers);
    const both = await get("?format=mcp", { key: await app.key(["search", "agent:write"]) });
    expect(both.tools.map((tool) => tool.name)).toEqual(names);
  });

  test("nothing is offered while the agent's memory is off; citations are as the agent's settings say", async () => {
    await app.call("POST", "/v1/agents", { id: "quiet", settings: { enabled: false } });
    for (const format of TOOL_FORMATS)
      expect(await get(`?format=${format}`, { agent: "quiet" })).toEqual({ format, tools: [], prompt: "" });
    await app.call("PATCH", "/v1/agents/quiet", { settings: { enabled: true, citations: "off" } });
    const { prompt } = await get("", { agent: "quiet" });
    expect(prompt).toContain("## Memory Recall");
    expect(prompt).toContain("Do not name paths");
    expect((await get("")).prompt).toContain("path#line");
    // With `auto` and a known conversation, the prompt decides about citations for the model.
    expect((await get("")).prompt).toContain("do not cite in groups");
    expect((await get("?sessionKey=telegram%3Adirect%3A5")).prompt).toContain("\nCite the source");
    expect((await get("?sessionKey=telegram%3Agroup%3A5")).prompt).toContain("Do not name paths");
  });
});

test("the prompt section stays below what clients cut, with every tool", () => {
  for (const citations of ["auto", "on", "off"] as const)
    expect(recallPrompt(MEMORY_TOOLS, citations).length).toBeLessThan(2048);
  expect(recallPrompt([], "auto")).toBe("");
});

test("what a model is offered of a tool, the tool takes", () => {
  for (const tool of MEMORY_TOOLS) {
    expect(Object.keys(tool.input.shape)).toEqual(expect.arrayContaining(Object.keys(tool.offered.shape)));
    expect(tool.description.length).toBeLessThan(1024);
  }
});
