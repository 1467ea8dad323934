import { expect, test } from "vitest";
import { warnOfSlowEngine } from "../../src/start/slow-engine.ts";

function saidOf(provider: string, native: boolean): string[] {
  const lines: string[] = [];
  warnOfSlowEngine(
    { provider, model: "all-MiniLM-L6-v2" },
    { warn: (line: unknown) => lines.push(String(line)) },
    {
      native,
      wasm: true,
    },
  );
  return lines;
}

test("one line says that the built-in model runs in WebAssembly, and what to install", () => {
  const [line, ...more] = saidOf("builtin", false);
  expect(line).toContain("all-MiniLM-L6-v2 runs in WebAssembly");
  expect(line).toContain("npm install onnxruntime-node@1");
  expect(more).toEqual([]);
});

test("nothing is said with native code, or of another provider", () => {
  expect([...saidOf("builtin", true), ...saidOf("openai", false)]).toEqual([]);
});
