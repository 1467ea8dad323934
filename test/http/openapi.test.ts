import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STATUS } from "../../src/http/render-error.ts";
import { needsPackagesOf } from "../support/needs.ts";
import { ALL_FEATURES, startTestApp, type TestApp } from "../support/test-app.ts";

/** The folder of the validators. */
const FOLDER = "test/http/openapi";

/** The part of the validator's module that is used. */
interface ValidatorModule {
  Validator: new () => { version: string; validate(document: object): Promise<{ valid: boolean }> };
}

interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  responses: Record<
    string,
    { content?: Record<string, { schema: { $ref?: string }; examples?: Record<string, { $ref: string }> }> }
  >;
  parameters?: { in: string; name: string; required?: boolean }[];
}
interface Document {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; examples: Record<string, { value: object }> };
}

describe("the reference", () => {
  let app: TestApp;
  let document: Document;
  let operations: [string, Operation][];
  beforeAll(async () => {
    app = await startTestApp({ env: ALL_FEATURES, worker: false });
    document = (await app.call<Document>("GET", "/openapi.json")).body;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
    );
  });
  afterAll(() => app.drop());

  test("is valid OpenAPI 3.1", needsPackagesOf(FOLDER), async () => {
    const module = resolve(FOLDER, "node_modules/@seriousme/openapi-schema-validator/index.js");
    const { Validator } = (await import(pathToFileURL(module).href)) as ValidatorModule;
    const validator = new Validator();
    expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    const broken = { ...structuredClone(document), paths: { "/x": { get: { responses: { 200: {} } } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  test(
    "has nothing that Redocly's linter would have different, but for what redocly.yaml says",
    needsPackagesOf(FOLDER),
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "recollect-openapi-"));
      const lint = async (linted: object) => {
        writeFileSync(join(folder, "openapi.json"), JSON.stringify(linted));
        const args = ["lint", join(folder, "openapi.json"), "--format=json", "--config=redocly.yaml"];
        // The linter exits with 1 if it has found a problem. Without these variables it would ask the
        // network for a newer version of itself.
        const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };
        const { stdout } = await promisify(execFile)(`${FOLDER}/node_modules/.bin/redocly`, args, { env }).catch(
          (error: { stdout: string }) => error,
        );
        return (JSON.parse(stdout) as { problems: { ruleId: string; location: object[] }[] }).problems;
      };
      expect(await lint(document)).toEqual([]);
      const unguarded = { ...document, paths: { "/x": { get: { operationId: "x", summary: "X", responses: {} } } } };
      expect((await lint(unguarded)).map((problem) => problem.ruleId)).toContain("security-defined");
      rmSync(folder, { recursive: true });
    },
  );

  test("names and groups every operation, and says how it fails", () => {
    expect(operations.length).toBeGreaterThan(60);
    const ids = operations.map(([, operation]) => operation.operationId);
    expect(ids.filter((id) => id === undefined || !/^[a-z]\w+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    const known = new Set(document.tags.map((tag) => tag.name));
    for (const [name, { summary, tags, responses }] of operations) {
      expect([name, summary?.length ?? 0]).not.toEqual([name, 0]);
      expect([name, tags?.length, known.has(tags?.[0] ?? "")]).toEqual([name, 1, true]);
      if (tags?.includes("Health")) continue;
      const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      expect([name, errors.map(([status]) => status)]).toEqual([name, expect.arrayContaining(["401", "403", "500"])]);
      for (const [status, { content }] of errors) {
        const problem = content?.["application/problem+json"];
        // The answer of a probe that is not ready is no problem document.
        if (!problem) continue;
        expect([name, problem.schema.$ref]).toEqual([name, "#/components/schemas/Error"]);
        for (const [code, { $ref }] of Object.entries(problem.examples ?? {})) {
          expect($ref).toBe(`#/components/examples/${code}`);
          expect(document.components.examples[code]?.value).toMatchObject({ code, status: Number(status) });
        }
      }
    }
  });

  test("has an example of each error that a server answers with, and of no other", () => {
    const elsewhere = ["data_folder_in_use", "service_unreachable"];
    expect(Object.keys(document.components.examples).sort()).toEqual(
      Object.keys(STATUS)
        .filter((code) => !elsewhere.includes(code))
        .sort(),
    );
    const answered = operations.flatMap(([, { responses }]) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.keys(content?.["application/problem+json"]?.examples ?? {}),
      ),
    );
    expect([...new Set(answered)].sort()).toEqual(Object.keys(document.components.examples).sort());
  });

  test("says how a route fails by what the route takes", () => {
    const codesOf = (name: string) =>
      Object.values(operations.find(([one]) => one === name)?.[1].responses ?? {}).flatMap(({ content }) =>
        Object.keys(content?.["application/problem+json"]?.examples ?? {}),
      );
    const put = codesOf("put /v1/agents/{agentId}/files/{path}");
    expect(put).toEqual(expect.arrayContaining(["file_changed", "quota_exceeded", "idempotency_key_reused"]));
    expect(put).not.toContain("fact_not_found");
    expect(codesOf("get /v1/agents/{agentId}/files/{path}")).toContain("file_not_found");
    expect(codesOf("get /v1/agents/{agentId}/files/{path}")).not.toContain("invalid_json");
    expect(codesOf("get /health/live")).toEqual([]);
  });

  test("describes every parameter of a path, and only those", () => {
    for (const [name, { parameters = [] }] of operations) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, one]) => one);
      expect([name, parameters.filter((one) => one.in === "path").map((one) => one.name)]).toEqual([name, inPath]);
    }
  });

  test("names the header with which an operator chooses a tenant, where a request must or may have it", () => {
    const headers = Object.fromEntries(
      operations.flatMap(([name, { parameters = [] }]) =>
        parameters.filter((one) => one.name === "recollect-tenant").map(({ required = false }) => [name, required]),
      ),
    );
    expect(headers).toEqual({
      "get /v1/tenant": false,
      "patch /v1/tenant": false,
      "delete /v1/tenant": true,
      "get /v1/audit": false,
      "get /v1/erasures": false,
      "get /v1/erasures/{receiptId}": false,
      "get /v1/usage/storage": false,
    });
  });

  test("has the main schemas by name", () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(
        [
          "Agent",
          "AgentStatus",
          "AppendedMessages",
          "Error",
          "Fact",
          "FactHit",
          "FactInput",
          "File",
          "FileSummary",
        ].concat(["MemorySearchInput", "MemorySearchOutput", "Session", "SessionSummary", "StoredFact", "WrittenFile"]),
      ),
    );
  });

  test("errors are problems of RFC 9457, and say the same in the older form", async () => {
    const response = await app.runtime.app.request("/v1/agents/main/files/none.md");
    expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    const { error, ...problem } = (await response.json()) as Record<string, unknown>;
    const requestId = response.headers.get("x-request-id");
    expect(problem).toEqual({
      type: "urn:recollect:error:file_not_found",
      title: "File not found",
      status: 404,
      detail: expect.stringContaining("list its files"),
      instance: `urn:recollect:request:${requestId}`,
      code: "file_not_found",
      requestId,
    });
    expect(error).toEqual({ code: "file_not_found", message: problem.detail, requestId });
  });
});
