import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { readConfig } from "../../src/config/config.ts";
import { readConfigFiles } from "../../src/config/config-files.ts";
import { readDefaults } from "../../src/wiring/read-defaults.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const places = () => ({
  user: join(folder, "home/.recollect/config.yaml"),
  workspace: join(folder, "work/recollect.yaml"),
});

function put(origin: "user" | "workspace", text: string | Buffer): string {
  const path = places()[origin];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const read = (env: Record<string, string> = {}) =>
  readConfigFiles({ home: join(folder, "home"), cwd: join(folder, "work"), env });
const value = (text: string, env: Record<string, string> = {}) => {
  put("workspace", text);
  return read(env)[0]?.value;
};

function refusal(env: Record<string, string> = {}): AppError {
  try {
    read(env);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("which files", () => {
  test("none is no error, nor is a machine without a home", () => {
    expect(read()).toEqual([]);
    expect(readConfigFiles({ home: undefined, cwd: folder, env: {} })).toEqual([]);
  });

  test("the user's comes before the workspace's, which is stronger", () => {
    put("user", "a: 1\n");
    put("workspace", "a: 2\n");
    const { user, workspace } = places();
    expect(read()).toEqual([
      { origin: "user", path: user, value: { a: 1 }, missing: [] },
      { origin: "workspace", path: workspace, value: { a: 2 }, missing: [] },
    ]);
  });

  test("one that cannot be read is an error that names it", () => {
    mkdirSync(places().workspace, { recursive: true });
    const error = refusal();
    expect(error.code).toBe("config_invalid");
    expect(error.message).toContain(places().workspace);
  });

  test("one of a megabyte is read, and one byte more is not", () => {
    put("workspace", `# ${"x".repeat(1_000_000 - 2)}`);
    expect(read()[0]?.value).toBeNull();
    const path = put("workspace", `# ${"x".repeat(1_000_000 - 1)}`);
    const error = refusal();
    expect(error.code).toBe("config_invalid");
    expect(error.message).toContain(path);
  });
});

describe("what they may hold", () => {
  test.each([
    ["nothing", "", null],
    ["a comment", "# later\n", null],
    ["YAML", "a:\n  - 1\n  - b: yes\n", { a: [1, { b: "yes" }] }],
    ["JSON", '{\n\t"a": [1, {"b": null}]\n}', { a: [1, { b: null }] }],
    [
      "JSON5",
      "// top\n{ a: [1, 'x',], /* in between */ $b: .5, // end\n c: 0x10, }\n",
      { a: [1, "x"], $b: 0.5, c: 16 },
    ],
    ["JSON5 whose first entry is a comment", "{\n  // agents\n  a: { 'b': true },\n}\n", { a: { b: true } }],
    ["JSON5 with an address", "{ url: 'http://127.0.0.1:1/x' } // there\n", { url: "http://127.0.0.1:1/x" }],
    ["YAML that begins with a brace", "{a: some words, b: [x y]} # end\n", { a: "some words", b: ["x y"] }],
    ["a byte order mark", "\ufeffa: 1\n", { a: 1 }],
    ["a byte order mark before JSON5", "\ufeff{ a: 1, /* b */ }", { a: 1 }],
    ["an anchor and its alias", "a: &x [1]\nb: *x\n", { a: [1], b: [1] }],
    ["umlauts and emoji", "a: Größe 🦞\n", { a: "Größe 🦞" }],
  ])("%s", (_, text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  test("a key __proto__ stays a key", () => {
    const parsed = value("__proto__: {polluted: 1}\n");
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(Object.keys(parsed as object)).toEqual(["__proto__"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("a key __proto__ of JSON5 stays a key", () => {
    const parsed = value("{ __proto__: { polluted: 1 }, /* b */ }");
    expect(Object.keys(parsed as object)).toEqual(["__proto__"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    ["broken JSON5", "{ // a\n b: [1,\n}", "line 3, column 1"],
    ["a list that is not closed", "a: 1\nb: [1\nc: 2\n", "line 3, column 1"],
    ["a key twice", "a: 1\na: 2\n", "line 2, column 1"],
    ["two documents", "a: 1\n---\nb: 2\n", "line 2, column 1"],
    ["broken JSON", '{"a": 1,\n "b": }x', "line 2"],
  ])("%s is an error with file, line and column", (_, text, place) => {
    const path = put("user", text);
    const error = refusal();
    expect(error.code).toBe("config_invalid");
    expect(error.message).toContain(path);
    expect(error.message).toContain(place);
  });

  const doubled = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const [below, here] of ["ab", "bc", "cd", "de", "ef", "fg"])
    doubled.push(`${here}: &${here} [${Array(9).fill(`*${below}`).join(",")}]`);

  test.each([
    ["aliases that double and double again", doubled.join("\n")],
    ["an alias of itself", "a: &a [*a]\n"],
    ["an alias of nothing", "a: *nowhere\n"],
    ["lists in lists for ever", "[".repeat(40_000)],
    ["closed lists in lists", "[".repeat(20_000) + "]".repeat(20_000)],
    ["lists in lists of JSON5", `{ /* */ a: ${"[".repeat(200_000)}`],
    ["closed lists in lists of JSON5", `{ /* */ a: ${"[".repeat(200_000)}${"]".repeat(200_000)} }`],
    ["objects in objects", `${"{a: ".repeat(2000)}1${"}".repeat(2000)}`],
  ])("%s is an error, neither a crash nor a full memory", (_, text) => {
    put("workspace", text);
    expect(refusal().code).toBe("config_invalid");
  });
});

/** Returns a reference to a variable, built so that it is not mistaken for a template's hole. */
const ref = (name: string) => `\u0024{${name}}`;

describe("variables", () => {
  test("are filled in wherever a text stands", () => {
    const text = `a: ${ref("ONE")}\nb: ["x-${ref("ONE")}-${ref("TWO")}-y"]\nc: {d: "${ref("TWO")}"}\n`;
    expect(value(text, { ONE: "1", TWO: "zwei" })).toEqual({ a: "1", b: ["x-1-zwei-y"], c: { d: "zwei" } });
  });

  test("a doubled dollar stands for itself, and other dollars are text", () => {
    const rest = `$ONE ${ref("one")} ${ref("ONE:-x")} ${ref("")} $`;
    expect(value(`a: $${ref("ONE")} ${rest}\n`, { ONE: "1" })).toEqual({ a: `${ref("ONE")} ${rest}` });
  });

  test("a value is not looked through again, nor taken for YAML or a replacement pattern", () => {
    const env = { ONE: ref("TWO"), TWO: "never", YAML: "x: [1, 2]\n# no", PATTERN: "$& $1 $$" };
    expect(value(`a: ${ref("ONE")}\nb: ${ref("YAML")}\nc: ${ref("PATTERN")}\n`, env)).toEqual({
      a: ref("TWO"),
      b: "x: [1, 2]\n# no",
      c: "$& $1 $$",
    });
  });

  test.each([
    [{ memory: { search: { remote: { apiKey: ref("MY_KEY") } } } }, "memory.search.remote.apiKey"],
    [{ agents: { list: [{ id: "a" }, { id: "b", name: `x${ref("MY_KEY")}` }] } }, "agents.list[1].name"],
  ])("one that is not set, or is empty, is reported with its path, and its text stays: case %#", (content, at) => {
    put("workspace", JSON.stringify(content));
    for (const env of [undefined, { MY_KEY: "" }]) {
      const [file] = read(env);
      expect(file?.missing).toEqual([{ at, name: "MY_KEY" }]);
      expect(file?.value).toEqual(content);
    }
  });
});

describe("what the files say", () => {
  const warnings: unknown[] = [];
  const defaults = (text: string, env: Record<string, string> = {}) => {
    put("workspace", text);
    const embedding = readConfig({}).embedding;
    return readDefaults(
      { files: read(env), embedding, extraPathRoots: undefined, allowedModels: undefined },
      { warn: (...args: unknown[]) => void warnings.push(args) },
    );
  };

  test("a variable that is not set stops the start where it counts, and only there", () => {
    const search = `memory: {search: {remote: {apiKey: "${ref("MY_KEY")}"}}}\n`;
    expect(() => defaults(search)).toThrow(/recollect\.yaml: memory\.search\.remote\.apiKey refers to MY_KEY/);
    expect(defaults(search, { MY_KEY: "k" }).layers[0]?.settings.remote?.apiKey).toBe("k");
    const plugins = `{a: {config: {key: "${ref("TOKEN")}"}}, my-memory: {config: {embedding: {apiKey: "${ref("TOKEN")}"}}}}`;
    const pasted = [
      `channels: {telegram: {botToken: "${ref("TOKEN")}"}}`,
      `plugins: {entries: ${plugins}}`,
      `memory: {backend: qmd, qmd: {scope: {rules: [{match: "${ref("TOKEN")}"}]}}, search: {citations: "on"}}`,
    ].join("\n");
    expect(defaults(pasted).layers[0]?.settings).toEqual({ citations: "on" });
    expect(JSON.stringify(warnings)).toContain("channels");
  });

  test("each setting without effect is logged with the reason, and kept for the doctor", () => {
    warnings.length = 0;
    const { ignored } = defaults(
      "memory: {backend: qmd, qmd: {command: /bin/qmd}, search: {extraPaths: [/elsewhere]}}\ngateway: {port: 1}",
    );
    expect(ignored.map(({ at }) => at)).toEqual([
      "gateway",
      "memory.backend",
      "memory.qmd.command",
      "memorySearch.extraPaths[0]",
    ]);
    expect(new Set(ignored.map(({ file }) => file))).toEqual(new Set([expect.stringMatching(/recollect\.yaml$/)]));
    expect(warnings).toEqual([
      [
        {
          path: expect.stringMatching(/recollect\.yaml$/),
          ignored: expect.arrayContaining([
            "memory.qmd.command: QMD is not used: Recollect has its own index",
            expect.stringMatching(
              /^memorySearch\.extraPaths\[0\]: is left out: \/elsewhere is in no folder that the operator allows; add it/,
            ),
          ]),
        },
        "settings of a config file have no effect",
      ],
    ]);
  });

  test("a folder below the home folder names the root that is missing", () => {
    const { ignored } = defaults("agents: {defaults: {memorySearch: {extraPaths: [~/docs/work, a/../b]}}}");
    expect(ignored.map(({ why }) => why)).toEqual([
      expect.stringContaining(`${join(homedir(), "docs/work")} is in no folder that the operator allows`),
      expect.stringContaining("must be an absolute path"),
    ]);
    const allowed = `extraPathRoots: [~/docs]\nagents: {defaults: {memorySearch: {extraPaths: [~/docs/work]}}}`;
    expect(defaults(allowed).ignored).toEqual([]);
  });

  test("an error names the file and the path", () => {
    expect(() => defaults("memory: {search: {query: {maxResults: 0}}}")).toThrow(
      /recollect\.yaml: .*memory\.search\.query\.maxResults: must be a whole number from 1 to 100/,
    );
  });
});
