import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runCaptured } from "../support/cli-harness.ts";

const scriptFor = async (shell: string) => (await runCaptured(["completion", shell], {})).out;

/** Returns bash's completions at the end of each line. */
function complete(script: string, lines: string[][]): string[][] {
  const steps = lines.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(recollect ${quoted}); COMP_CWORD=${words.length}; _recollect; echo "\${COMPREPLY[*]}"`;
  });
  const ran = spawnSync("bash", ["--norc", "-c", `${script}\n${steps.join("\n")}`], { encoding: "utf8" });
  expect(ran.stderr).toBe("");
  return ran.stdout
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => line.split(" ").filter(Boolean));
}

test("bash takes the script, and completes commands, options and values", async () => {
  const script = await scriptFor("bash");
  expect(spawnSync("bash", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  const [top, sub, after, option, inner, values, shells, folder, value] = complete(script, [
    ["s"],
    ["agents", "e"],
    ["search", "--agent", "agents", "--max"],
    ["--ver"],
    ["facts", "add", "text", "--su"],
    ["search", "q", "--corpus", ""],
    ["completion", ""],
    ["sync", ""],
    ["facts", "add", "text", "--subject", ""],
  ]);
  expect(top).toEqual(["sync", "search", "status", "sessions", "serve", "start"]);
  expect(sub).toEqual(["enable", "erase", "export"]);
  expect(after).toEqual(["--max-results"]);
  expect(option).toEqual(["--version"]);
  expect(inner).toEqual(["--subject", "--supersedes"]);
  expect(values).toEqual(["memory", "sessions", "facts", "all"]);
  expect(shells).toEqual(["bash", "zsh", "fish"]);
  // Bash itself completes files, by `complete -o default`.
  expect([folder, value]).toEqual([[], []]);
});

test("the scripts for zsh and fish name every command and quote what is in their way", async () => {
  const [zsh, fish] = [await scriptFor("zsh"), await scriptFor("fish")];
  expect(zsh).toContain("'erase:erase an agent for good and print the receipt'");
  expect(zsh).toContain("'--tenant:the agent'\\''s tenant, by name or id'");
  expect(fish).toContain(`complete -c recollect -n '__recollect_at \\' agents\\'' -f -a erase -d`);
  expect(fish).toContain("-l corpus -x -a 'memory sessions facts all'");
  expect(fish).toContain("-d 'the agent\\'s tenant, by name or id'");
});

test("an unknown shell is wrong usage", async () => {
  expect(await runCaptured(["completion", "tcsh"], {})).toMatchObject({ code: 2, out: "" });
});
