import { execFileSync } from "node:child_process";
import { inspect } from "node:util";
import { getContainerRuntimeClient } from "testcontainers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RecollectContainer, startRecollectContainer } from "../../src/start/recollect-container.ts";
import { skipped } from "../support/needs.ts";

const IMAGE = "recollect:release-test";

/**
 * The largest size of our layers. Base images differ in size from registry to registry, so they are
 * left out.
 */
const LARGEST_ON_TOP = 300_000_000;

const docker = (...args: string[]) =>
  execFileSync("docker", args, { encoding: "utf8", timeout: 590_000, stdio: ["ignore", "pipe", "pipe"] }).trim();
const sizeOf = (image: string) => Number(docker("image", "inspect", "--format", "{{.Size}}", image));

const answers = await getContainerRuntimeClient().then(
  () => true,
  () => false,
);

describe("the image", answers ? {} : skipped("needs Docker: no engine answers"), () => {
  let service: RecollectContainer;
  beforeAll(async () => {
    docker("build", "--network", "host", "--tag", IMAGE, ".");
    service = await startRecollectContainer({ image: IMAGE });
  });
  afterAll(() => service?.stop());

  test("is small, and runs as nobody special with a probe of its own", () => {
    const onTop = sizeOf(IMAGE) - sizeOf("debian:trixie-slim");
    process.stdout.write(
      `Image: ${Math.round(sizeOf(IMAGE) / 1e6)} MB, ${Math.round(onTop / 1e6)} MB without its base\n`,
    );
    expect(onTop).toBeLessThan(LARGEST_ON_TOP);
    const [{ Config: config }] = JSON.parse(docker("image", "inspect", IMAGE)) as [
      { Config: { User: string; Env: string[]; Healthcheck: { Test: string[] } } },
    ];
    expect(config.User).toBe("recollect");
    expect(config.Env).toContain("ORT_DISABLE_TELEMETRY=1");
    const [kind, ...probe] = config.Healthcheck.Test;
    expect(kind).toBe("CMD");
    const shell = docker(
      "run",
      "--rm",
      "--entrypoint",
      "sh",
      IMAGE,
      "-c",
      "command -v npm npx; id -u; touch /app/x 2>&1 || true",
    );
    expect(shell).toMatch(/^1000\n.*Permission denied$/);
    // In an empty container no server listens: the probe runs, and reports that.
    expect(() => docker("run", "--rm", "--entrypoint", probe[0] ?? "", IMAGE, ...probe.slice(1))).toThrow(
      "Command failed",
    );
  });

  test("tells at once why it does not start, without secrets", async () => {
    const env = { RECOLLECT_PROVIDER: "nope", OPENAI_API_KEY: "sk-nobody-reads-this" };
    const error = await startRecollectContainer({ image: IMAGE, env }).catch((error: Error) => error);
    expect(String(error)).toMatch(/^Error: The service ended with exit code \d+\..*RECOLLECT_PROVIDER/s);
    expect(inspect(error)).not.toContain(env.OPENAI_API_KEY);
  });

  test("has what its engine loads for this platform, and nothing for developing", () => {
    const script = `
      const { InferenceSession } = await import("onnxruntime-node");
      const { readdirSync } = await import("node:fs");
      const names = readdirSync("/app", { recursive: true });
      const extra = /\\.(map|d\\.ts)$|^node_modules\\/(typescript|vitest)\\/|onnxruntime-node\\/bin\\/.*(darwin|win32)/;
      console.log(typeof InferenceSession.create, names.filter((name) => extra.test(name)).join());`;
    expect(docker("run", "--rm", "--entrypoint", "node", IMAGE, "--input-type=module", "--eval", script)).toBe(
      "function",
    );
  });

  test("serves files and searches by word and by meaning, with Postgres", async () => {
    const agent = service.client.agent();
    await agent.files.put("ports.md", "The gateway listens on 8080.");
    await agent.files.put("lunch.md", "We eat at noon.");
    for await (const status of agent.watchStatus()) if (status.pendingEmbeddings === 0) break;
    const { results, warning } = await agent.search("network endpoint of the proxy", { minScore: 0 });
    expect(warning).toBeUndefined();
    expect(results[0]).toMatchObject({ path: "ports.md", vectorScore: expect.any(Number) });
    // With two chunks, scores cannot be compared with chance: both are hits, in their order.
    expect((await agent.search("noon")).results[0]?.path).toBe("lunch.md");
    const anonymous = await fetch(`${service.url}/v1/agents`);
    expect(anonymous.status).toBe(401);
  });
});
