import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PACKAGE_DOCKERFILE, packageImage } from "../../src/start/package-image.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-package-image-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, content: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Writes a package; `needs` are the names of its dependencies. */
function writePackage(path: string, needs: readonly string[] = []): void {
  const dependencies = Object.fromEntries(needs.map((name) => [name, "1"]));
  write(`${path}/package.json`, JSON.stringify({ dependencies }));
  write(`${path}/index.js`, `// ${path}`);
}

/** Writes an installed Recollect into `node_modules`. */
function writeRecollect(path: string, needs: readonly string[]): string {
  writePackage(path, needs);
  for (const part of ["drizzle/0.sql", "migrations/0.sql", "examples/a.md", "dist/start/cli.js", "dist/start/cli.d.ts"])
    write(`${path}/${part}`, part);
  return join(folder, path);
}

function contextOf(root: string): (path: string) => string | undefined {
  const context = mkdtempSync(join(folder, "context-"));
  packageImage(root).writeContext(context);
  return (path) => {
    const file = join(context, path);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
}

describe("the image of an installed package", () => {
  test("has the service, all packages that it needs, and nothing else", () => {
    const root = writeRecollect("node_modules/recollect", ["pg", "@scope/part"]);
    writePackage("node_modules/pg", ["pg-types"]);
    writePackage("node_modules/pg-types", ["pg"]);
    writePackage("node_modules/@scope/part");
    writePackage("node_modules/vitest");
    const read = contextOf(root);
    expect(read("Dockerfile")).toBe(PACKAGE_DOCKERFILE);
    expect(read("app/dist/start/cli.js")).toBe("dist/start/cli.js");
    expect(read("app/dist/start/cli.d.ts")).toBeUndefined();
    for (const name of ["pg", "pg-types", "@scope/part"])
      expect(read(`app/node_modules/${name}/index.js`)).toBe(`// node_modules/${name}`);
    expect(read("app/node_modules/vitest/index.js")).toBeUndefined();
  });

  test("has both versions of a package where two are installed", () => {
    const root = writeRecollect("node_modules/recollect", ["luxon", "cron"]);
    writePackage("node_modules/luxon");
    writePackage("node_modules/cron", ["luxon"]);
    writePackage("node_modules/cron/node_modules/luxon");
    const read = contextOf(root);
    expect(read("app/node_modules/luxon/index.js")).toBe("// node_modules/luxon");
    expect(read("app/node_modules/cron/node_modules/luxon/index.js")).toBe("// node_modules/cron/node_modules/luxon");
  });

  test("is found in the folders of pnpm, which are links", () => {
    const store = "node_modules/.pnpm/recollect@1/node_modules";
    writeRecollect(`${store}/recollect`, ["pg"]);
    writePackage("node_modules/.pnpm/pg@1/node_modules/pg");
    symlinkSync(join(folder, "node_modules/.pnpm/pg@1/node_modules/pg"), join(folder, store, "pg"));
    symlinkSync(join(folder, store, "recollect"), join(folder, "node_modules/recollect"));
    expect(contextOf(join(folder, "node_modules/recollect"))("app/node_modules/pg/index.js")).toContain("pg@1");
  });

  test("has the native engine's files for Linux only, if the engine is installed", () => {
    const root = writeRecollect("node_modules/recollect", []);
    writePackage("node_modules/onnxruntime-node", ["global-agent"]);
    for (const system of ["linux", "darwin"])
      write(`node_modules/onnxruntime-node/bin/napi-v6/${system}/x64/engine.node`, system);
    const read = contextOf(root);
    expect(read("app/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/engine.node")).toBe("linux");
    expect(read("app/node_modules/onnxruntime-node/bin/napi-v6/darwin/x64/engine.node")).toBeUndefined();
  });

  test("has a name that changes with any file in it", () => {
    const root = writeRecollect("node_modules/recollect", ["pg"]);
    writePackage("node_modules/pg");
    const before = packageImage(root).name;
    expect(packageImage(root).name).toBe(before);
    expect(before).toMatch(/^recollect-package:[\w.-]+-[0-9a-f]{12}$/);
    write("node_modules/pg/index.js", "// patched");
    expect(packageImage(root).name).not.toBe(before);
  });

  test("says what is missing", () => {
    expect(() => packageImage(folder)).toThrow("is not built");
    const root = writeRecollect("node_modules/recollect", ["pg"]);
    expect(() => packageImage(root)).toThrow(/needs the package pg,/);
  });

  test("is set up like the image of the repository", () => {
    const settings = (text: string) =>
      text.split("\n").filter((line) => /^(ENV|ENTRYPOINT|CMD|EXPOSE|VOLUME) /.test(line));
    const [, repository = ""] = readFileSync("Dockerfile", "utf8").split("FROM debian");
    expect(settings(PACKAGE_DOCKERFILE)).toEqual(settings(repository));
  });
});
