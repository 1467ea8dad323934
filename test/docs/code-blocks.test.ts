import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readConfig } from "../../src/config/config.ts";
import { readDefaults } from "../../src/wiring/read-defaults.ts";
import { documents, readBlocks } from "../support/doc-blocks.ts";
import { shellErrors, typeErrors } from "../support/doc-runner.ts";
import { isRun, runDocuments } from "../support/doc-suite.ts";
import { needsPackagesOf } from "../support/needs.ts";

const all = documents().map((file) => ({ file, blocks: readBlocks(file) }));

runDocuments(all.filter(({ file }) => !file.includes("recipes")));

describe("what cannot run here says why", () => {
  for (const { at, language, text, notRun = "" } of all.flatMap(({ blocks }) => blocks))
    if (notRun !== "")
      test(`${at}: ${notRun}`, () => {
        expect(notRun.length).toBeGreaterThan(15);
        if (language === "sh") expect(shellErrors(text)).toBe("");
        if (language === "yaml") expect(parse(text)).toBeTypeOf("object");
      });
});

/**
 * Documents whose readers have something that no block can make: an export of another product or its
 * folder, or a service in trouble.
 */
const NEEDS_OTHERS_DATA = [
  "docs/operations/runbook.md",
  "docs/recipes/claude-code.md",
  "docs/recipes/codex.md",
  "docs/recipes/import.md",
  "docs/recipes/openclaw.md",
];

test("whoever pastes the blocks of a document needs nothing that a hidden comment makes", () => {
  const hidden = all.filter(({ blocks }) => blocks.some(({ given }) => given !== undefined));
  expect(hidden.map(({ file }) => file).filter((file) => !NEEDS_OTHERS_DATA.includes(file))).toEqual([]);
});

test("blocks of TypeScript have the types of the package", needsPackagesOf("test/adapters"), () => {
  const isOfOthers = (notRun = "") => notRun.startsWith("needs @");
  const blocks = all
    .flatMap((document) => document.blocks)
    .filter(({ language, notRun }) => language === "ts" && !isOfOthers(notRun));
  expect(blocks.length).toBeGreaterThan(2);
  expect(typeErrors(blocks)).toBe("");
});

describe("what programs read is in a form that they read", () => {
  const others = all.flatMap(({ blocks }) => blocks).filter(({ under, notRun }) => !(under && isRun(under)) && !notRun);
  for (const { at, language, text } of others) {
    if (language === "json") test(at, () => expect(MCP_CONFIGURATION.parse(JSON.parse(text))).toBeDefined());
    if (language === "yaml") test(at, () => expect(warningsAbout(text)).toEqual([]));
  }
  test("no block is in a language that nothing looks at", () => {
    const known = ["sh", "ts", "python", "json", "yaml", "sql", "text", ""];
    expect(others.filter(({ language }) => !known.includes(language)).map(({ at }) => at)).toEqual([]);
  });
});

const stdio = z.strictObject({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).optional(),
});
const remote = z.strictObject({
  type: z.literal("http").optional(),
  url: z.url(),
  headers: z.record(z.string(), z.string()),
});
/** The forms that Claude Desktop and Cursor read, and that of VS Code. */
const MCP_CONFIGURATION = z.union([
  z.strictObject({ mcpServers: z.record(z.string(), z.union([stdio, remote])) }),
  z.strictObject({
    inputs: z.array(z.object({ type: z.string(), id: z.string() })),
    servers: z.record(z.string(), remote),
  }),
]);

/** Reads a config file as the start of a server does. */
function warningsAbout(text: string): unknown[] {
  const home = mkdtempSync(join(tmpdir(), "recollect-config-"));
  try {
    mkdirSync(join(home, ".recollect"));
    writeFileSync(join(home, ".recollect", "config.yaml"), text);
    const warnings: unknown[] = [];
    const config = readConfig({ HOME: home, OPENAI_API_KEY: "sk-of-a-document" });
    readDefaults(config, { warn: (...about: unknown[]) => void warnings.push(about) });
    return warnings;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
