import { expect, test } from "vitest";
import { readCommandConfig } from "../../src/config/command-config.ts";
import { readConfig } from "../../src/config/config.ts";

/** Returns the configuration, or the error's code and message. */
function outcome<T extends object>(read: () => T): object {
  try {
    return read();
  } catch (error) {
    return { code: (error as { code?: string }).code, message: (error as Error).message };
  }
}

test.each<[string, Record<string, string>]>([
  ["nothing", {}],
  [
    "a server, a key and a profile",
    { RECOLLECT_URL: "https://m.example/x", RECOLLECT_API_KEY: "k", RECOLLECT_PROFILE: "p" },
  ],
  [
    "empty variables",
    { RECOLLECT_URL: "", RECOLLECT_API_KEY: "", RECOLLECT_PROFILE: "", DATABASE_URL: "", RECOLLECT_DATA_DIR: "x" },
  ],
  ["a database", { DATABASE_URL: "postgres://h/d" }],
  ["a folder below the home", { RECOLLECT_DATA_DIR: "~/memory" }],
  ["a key with a line end, and no URL", { RECOLLECT_API_KEY: "a\nb", RECOLLECT_URL: "memory.example" }],
])("a command reads of the environment what the service does: %s", (_, variables) => {
  const env = { HOME: "/home/nobody", ...variables };
  const found = outcome(() => readCommandConfig(env));
  expect(outcome(() => readConfig(env))).toMatchObject(found);
  expect(Object.keys(found).length).toBeGreaterThan(1);
});

test("what is wrong with the service's own variables is no trouble of a command for a server", () => {
  expect(readCommandConfig({ RECOLLECT_PORT: "none", RECOLLECT_URL: "http://m.example" }).url).toBe("http://m.example");
});
