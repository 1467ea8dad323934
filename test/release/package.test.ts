import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  cleanEnvironment,
  dryPublish,
  installTools,
  LINTERS,
  lintPackage,
  type Packed,
  pack,
  runIn,
} from "../support/packages.ts";

/**
 * The newest release of the oldest Node.js version that package.json allows. The Node.js that runs
 * this test is the newest.
 */
const OLDER_NODE = "22.23.3";

const root = process.cwd();
let folder: string;
let project: string;
let packed: Packed;

/** Runs a command in the project under a Node.js. */
const run = (node: string, command: string, args: string[], env: Record<string, string> = {}) =>
  runIn(project, command, args, cleanEnvironment(node, env));

const nodes = () => ({
  [OLDER_NODE]: join(folder, "older/node_modules/.bin"),
  [process.versions.node]: dirname(process.execPath),
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-package-"));
  project = join(folder, "project");
  mkdirSync(project);
  runIn(folder, "npm", ["install", "--prefix", join(folder, "older"), `node@${OLDER_NODE}`]);
  packed = pack("recollect", folder);
  cpSync(join(root, "test/release/consumer"), project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  run(join(folder, "older/node_modules/.bin"), "npm", ["install", "--engine-strict", join(folder, packed.filename)]);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("it is small: few files of its own, few packages, none for one platform or for tests", () => {
  const installed = Object.values(
    (
      JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8")) as {
        packages: Record<string, { hasInstallScript?: boolean }>;
      }
    ).packages,
  );
  const megabytes = Number(run(dirname(process.execPath), "du", ["-sk", "node_modules"]).split("\t")[0]) / 1024;
  process.stdout.write(
    `Package: ${packed.files.length} files, ${(packed.unpackedSize / 1e6).toFixed(2)} MB unpacked; ` +
      `node_modules: ${installed.length} packages, ${Math.round(megabytes)} MB on disk\n`,
  );
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...["dist/console/index.html", "dist/reference/swagger-ui-bundle.js.gz", "dist/db/empty-database.tar.br"],
    ]),
  );
  expect(paths.filter((path) => path.startsWith("console/"))).toEqual([]);
  // The size includes 4.5 MB of libraries (0.4 MB of it reads dates in 17 languages), 2.7 MB of the
  // engine in WebAssembly (compressed), 1.5 MB of an empty database (compressed), 1.5 MB of the console
  // in three languages (half of it the compressed copies that browsers get), and 0.5 MB of the viewer of
  // the reference. The imports, the hooks of coding agents and the servers for tests take 0.1 MB.
  expect(packed.unpackedSize).toBeLessThan(14_500_000);
  expect(packed.files.filter(({ path }) => /\.map$|^(src|test|bench|docs|clients)\//.test(path))).toEqual([]);
  expect(installed.length).toBeLessThan(75);
  expect(installed.filter((one) => one.hasInstallScript)).toEqual([]);
  expect(megabytes).toBeLessThan(120);
});

test("the licences of the libraries in it are with them", () => {
  const libraries = join(project, "node_modules/recollect/dist/libraries");
  const licenses = readFileSync(join(libraries, "LICENSES.txt"), "utf8");
  for (const name of ["openai", "drizzle-orm", "pg-boss", "luxon", "eld"]) expect(licenses).toMatch(`${name} `);
});

test("every module in it finds what it imports, but for optional packages", () => {
  const manifest = join(project, "node_modules/recollect/package.json");
  const modules = packed.files
    .map(({ path }) => path)
    .filter(
      (path) =>
        /^dist\/(?!console\/).*(?<!\.worker)\.js$/.test(path) && !/^dist\/start\/(cli|run-process)\.js$/.test(path),
    );
  expect(modules.length).toBeGreaterThan(400);
  const script = `
    const failed = [];
    for (const path of ${JSON.stringify(modules)})
      await import(new URL("node_modules/recollect/" + path, "file://" + process.cwd() + "/")).catch((error) => failed.push(path + ": " + error.message));
    console.log(JSON.stringify(failed));
    process.exit();`;
  const said = run(dirname(process.execPath), "node", ["--input-type=module", "--eval", script]);
  const { peerDependencies = {} } = JSON.parse(readFileSync(manifest, "utf8")) as {
    peerDependencies?: object;
  };
  const isOptional = (failure: string) =>
    Object.keys(peerDependencies).some((name) => failure.includes(`Cannot find package '${name}'`));
  expect((JSON.parse(said) as string[]).filter((failure) => !isOptional(failure))).toEqual([]);
});

test("publint and arethetypeswrong find nothing, and npm would publish what was packed", () => {
  mkdirSync(join(folder, "tools"));
  lintPackage(installTools(join(folder, "tools"), LINTERS), join(folder, packed.filename));
  const { version, files } = dryPublish("recollect");
  expect([version, files]).toEqual([packed.version, packed.files]);
});

test.each(["nodenext", "bundler"])("its types resolve under moduleResolution %s, and are whole", (moduleResolution) => {
  const tsconfig = {
    compilerOptions: {
      target: "es2024",
      module: moduleResolution === "bundler" ? "esnext" : "nodenext",
      moduleResolution,
      strict: true,
      noEmit: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    },
    files: ["app.ts"],
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig));
  expect(run(dirname(process.execPath), join(root, "node_modules/.bin/tsc"), ["-p", "."])).toBe("");
});

test("a Node.js that is too old is told which one is needed, by the command and by each entry that needs it", () => {
  const tooOld = join(folder, "too-old");
  runIn(folder, "npm", ["install", "--prefix", tooOld, "node@20.20.2"]);
  const node = join(tooOld, "node_modules/.bin/node");
  const saying = (...args: string[]) => spawnSync(node, args, { cwd: project, encoding: "utf8" });
  const sentence = /^Recollect needs Node\.js 22\.22 or newer, and this is 20\.20\.2: install it .*\.$/m;
  const command = saying("node_modules/recollect/dist/start/cli.js", "status");
  expect(command).toMatchObject({ status: 1, stdout: "", stderr: expect.stringMatching(/^Recollect needs [^\n]*\n$/) });
  expect(command.stderr).toMatch(sentence);
  expect(saying("--input-type=module", "--eval", 'import "recollect"').stderr).toContain(
    "Recollect needs Node.js 22.22 or newer",
  );
  expect(saying("--input-type=module", "--eval", 'await import("recollect/client"); console.log("fine")').stdout).toBe(
    "fine\n",
  );
});

describe.each(["the older Node.js", "the newer Node.js"])("on %s", (which) => {
  const node = () => Object.values(nodes())[which === "the older Node.js" ? 0 : 1] ?? "";

  test("npx recollect serve answers its client, and the service runs in a process", async () => {
    const data = join(folder, `data ${which}`);
    const server = spawn("npx", ["--no-install", "recollect", "serve", "--port", "0"], {
      cwd: project,
      env: cleanEnvironment(node(), { RECOLLECT_DATA_DIR: data, RECOLLECT_CACHE_DIR: join(folder, "cache") }),
      stdio: ["ignore", "pipe", "pipe"],
      // npx starts a shell that starts Node.js, so the whole process group is ended.
      detached: true,
    });
    const ended = new Promise((resolve) => server.on("close", resolve));
    let output = "";
    try {
      const url = await new Promise<string>((resolve, reject) => {
        const read = (part: Buffer) => {
          output += part;
          const [, address] = /"url":"([^"]+)"/.exec(output) ?? [];
          // The line after the address says how the model runs.
          if (address && output.includes("WebAssembly")) resolve(address);
        };
        server.stdout.on("data", read);
        server.stderr.on("data", read);
        server.on("close", () => reject(new Error(output)));
      });
      // The line comes before the first request to the model.
      expect(output).toMatch(/runs in WebAssembly.*npm install onnxruntime-node@1/);
      const app = run(node(), "node", ["app.ts", url], { RECOLLECT_CACHE_DIR: join(folder, "cache") });
      expect(JSON.parse(app)).toEqual({ byMeaning: ["ports.md"], byWord: ["lunch.md"], code: "file_not_found" });
    } finally {
      // A server that has ended already has printed the reason.
      if (server.exitCode === null) process.kill(-(server.pid ?? 0), "SIGTERM");
      await ended;
    }
  });

  test("says which Node.js it is", () => {
    expect(run(node(), "node", ["--version"]).trim()).toBe(
      `v${which === "the older Node.js" ? OLDER_NODE : process.versions.node}`,
    );
  });
});
