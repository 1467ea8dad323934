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
  ["empty variables", { RECOLLECT_URL: "", RECOLLECT_API_KEY: "", RECOLLECT_PROFILE: "", RECOLLECT_DATA_DIR: "x" }],
  ["an empty database's URL", { DATABASE_URL: "" }],
  ["a database", { DATABASE_URL: "postgres://h/d" }],
  ["a folder below the home", { RECOLLECT_DATA_DIR: "~/memory" }],
  ["a key with space around it", { RECOLLECT_API_KEY: " k\n", RECOLLECT_URL: "http://m.example" }],
  ["a key of blanks", { RECOLLECT_API_KEY: " \n" }],
  ["an address with a password", { RECOLLECT_URL: "http://u:p@m.example" }],
  ["an address without a scheme", { RECOLLECT_URL: "localhost:7420" }],
  ["a database's password with #", { DATABASE_URL: "postgres://me:pa#ss@h/d" }],
  ["a key with a line end, and no URL", { RECOLLECT_API_KEY: "a\nb", RECOLLECT_URL: "memory.example" }],
])("a command reads of the environment what the service does: %s", (_, variables) => {
  const env = { HOME: "/home/nobody", ...variables };
  const found = outcome(() => readCommandConfig(env));
  expect(outcome(() => readConfig(env))).toMatchObject(found);
  expect(Object.keys(found).length).toBeGreaterThan(1);
});

test("an empty DATABASE_URL is refused, since it would lead to an embedded, empty database", () => {
  for (const url of ["", " "])
    expect(outcome(() => readConfig({ DATABASE_URL: url }))).toEqual({
      code: "config_invalid",
      message: expect.stringMatching(
        /^The environment is not valid\. DATABASE_URL: is empty; set it to .*, or unset it/,
      ),
    });
});

test("an empty list of allowed models is refused, since unset allows any", () => {
  expect(outcome(() => readConfig({ RECOLLECT_ALLOWED_MODELS: "" }))).toMatchObject({
    message: expect.stringMatching(/RECOLLECT_ALLOWED_MODELS: is empty/),
  });
});

test("an empty number is the default, and not 0", () => {
  const config = readConfig({ RECOLLECT_PORT: "", RECOLLECT_SLOW_QUERY_MS: "", RECOLLECT_VECTOR_INDEX_THRESHOLD: "" });
  expect(config).toMatchObject({ port: 7420, slowQueryMs: 1000, vectorIndexThreshold: 10_000 });
});

test.each(["#", "/", "?", "1#", "12/", "12?"])(
  "a database's password with %s is refused with the remedy",
  (special) => {
    for (const variable of ["DATABASE_URL", "DATABASE_DIRECT_URL", "RECOLLECT_CLUSTER_ADMIN_URL"])
      expect(outcome(() => readConfig({ [variable]: `postgres://me:${special}s3cret@db.example/memory` }))).toEqual({
        code: "config_invalid",
        message: expect.stringMatching(
          new RegExp(`^The environment is not valid\\. ${variable}: (?!.*s3cret).*percent-encode # \\(%23\\)`),
        ),
      });
  },
);

test.each([
  "postgres://h/d",
  "postgresql://me:p%23%2F%3Fw@h:5432/d?sslmode=require",
  "postgres://me:p@[::1]:5432/d",
  "postgres:///d?host=/run/postgresql",
  "postgres://me:p@/d?host=/run/postgresql",
  "postgres://%2Frun%2Fpostgresql/d",
  "postgres://h:5432/d?user=me@server&password=p",
  "postgres://me@server:p@h/d",
])("a database's URL is taken: %s", (url) => {
  expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
});

test("what is wrong with the service's own variables is no trouble of a command for a server", () => {
  expect(readCommandConfig({ RECOLLECT_PORT: "none", RECOLLECT_URL: "http://m.example" }).url).toBe("http://m.example");
});
