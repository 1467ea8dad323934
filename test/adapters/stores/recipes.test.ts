import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import JSON5 from "json5";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type DocBlock, readBlocks } from "../../support/doc-blocks.ts";
import { needsPackagesOf } from "../../support/needs.ts";
import { startTestApp } from "../../support/test-app.ts";

const FOLDER = "test/adapters/stores";
/** The code of the recipes, as modules that find the packages of the frameworks. */
const MODULES = join(FOLDER, "node_modules/.recipes");
const SOURCES = { compilerOptions: { paths: {} as Record<string, string[]> } };

/** Returns the code of a recipe, whose imports of this package name its source. */
function codeOf(name: string): string {
  const { text } = readBlocks(`docs/recipes/${name}.md`).find(({ language }) => language === "ts") as DocBlock;
  return text.replace(/"(recollect\/[\w-]+)"/g, (all, entry: string) => {
    const [source] = SOURCES.compilerOptions.paths[entry] ?? [];
    return source === undefined ? all : JSON.stringify(resolve(source));
  });
}

describe("the recipes", needsPackagesOf(FOLDER), () => {
  beforeAll(() => {
    Object.assign(SOURCES, JSON5.parse(readFileSync("tsconfig.json", "utf8")));
    mkdirSync(MODULES, { recursive: true });
    writeFileSync(join(MODULES, "package.json"), '{ "type": "module" }');
    const options = { lib: ["es2024", "dom"], rewriteRelativeImportExtensions: false };
    const config = { extends: resolve("tsconfig.json"), compilerOptions: options, include: ["*.ts"], exclude: [] };
    writeFileSync(join(MODULES, "tsconfig.json"), JSON.stringify(config));
    for (const name of ["adk", "langgraph", "strands"]) writeFileSync(join(MODULES, `${name}.ts`), codeOf(name));
  });
  afterAll(() => rmSync(MODULES, { recursive: true, force: true }));
  afterEach(() => vi.restoreAllMocks());

  test("compile with the types of the frameworks", () => {
    expect(execFileSync("node_modules/.bin/tsc", ["-p", MODULES], { encoding: "utf8" })).toBe("");
  });

  test("of LangGraph runs, and prints what it shows", async () => {
    const app = await startTestApp();
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => app.runtime.app.request(url, init));
    const printed = vi.spyOn(console, "log").mockReturnValue();
    try {
      await import(pathToFileURL(resolve(MODULES, "langgraph.ts")).href);
      const shown = readBlocks("docs/recipes/langgraph.md").find(({ language }) => language === "text");
      expect(printed.mock.calls.flat().join("\n")).toBe(shown?.text);
    } finally {
      vi.unstubAllGlobals();
      await app.drop();
    }
  });
});
