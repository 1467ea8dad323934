import { execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBody } from "./read-body.ts";

const PACKAGE = "clients/openclaw";
const PROGRAM = join(process.cwd(), PACKAGE, "node_modules/openclaw/openclaw.mjs");

/** Why the tests cannot run OpenClaw; undefined if they can. */
export function missingOpenClaw(): string | undefined {
  if (existsSync(PROGRAM)) return undefined;
  return `needs OpenClaw: \`npm ci --prefix ${PACKAGE}\` installs it, with the lockfile of the plugin`;
}

/** A message as OpenClaw sends it to the model. */
export interface ModelMessage {
  role: string;
  content: string | { type: string; text?: string }[] | null;
}

/** One request of OpenClaw to the model. */
export interface ModelRequest {
  messages: ModelMessage[];
  tools?: { function: { name: string } }[];
}

/** The model's answer: words, or the call of a tool. */
export type ModelReply = string | { tool: string; input: object };

export interface ScriptedModel {
  url: string;
  requests: ModelRequest[];
  /** Returns the answer to a request. */
  reply: (request: ModelRequest) => ModelReply;
  close(): Promise<void>;
}

/** Starts a model on loopback that answers as a test says, in the form of OpenAI's streams. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer(async (request, response) => {
    const sent = await readBody(request);
    if (!sent) return;
    const asked = JSON.parse(sent.toString("utf8")) as ModelRequest;
    model.requests.push(asked);
    const reply = model.reply(asked);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta: object, end: string | null) =>
      response.write(
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`,
      );
    if (typeof reply === "string") {
      send({ role: "assistant", content: reply }, null);
      send({}, "stop");
    } else {
      const call = { name: reply.tool, arguments: JSON.stringify(reply.input) };
      send({ role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }] }, null);
      send({}, "tool_calls");
    }
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const model: ScriptedModel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    reply: () => "Done.",
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return model;
}

/** Returns all words of a message. */
export function textOfMessage({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("\n");
}

export interface OpenClaw {
  /** The folder of its state and of the workspaces. */
  home: string;
  workspace(agent: string): string;
  /** The path of the SQLite file that holds an agent's conversations. */
  database(agent: string): string;
  /** Changes the plugin's settings. They count from the next start on. */
  configure(config: Record<string, unknown>): void;
  /** Starts the gateway, which runs the turns. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Runs a turn in the gateway, as `openclaw agent` does, and returns the model's words. The command
   * would take ten seconds of processor time for each turn.
   */
  turn(sessionKey: string, message: string): Promise<string>;
  /** Runs a command and returns what it prints. */
  run(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }>;
  /** The log of the gateway. */
  log(): string;
  remove(): Promise<void>;
}

/** Installs the plugin into an OpenClaw of its own, with a model on loopback and two agents. */
export async function installOpenClaw({ model }: { model: ScriptedModel }): Promise<OpenClaw> {
  const options = { model, port: await freePort() };
  const home = mkdtempSync(join(tmpdir(), "openclaw-"));
  const state = join(home, "state");
  const plugin = join(home, "plugin");
  execFileSync(process.execPath, ["scripts/pack-openclaw.ts"], { stdio: "pipe" });
  mkdirSync(state, { recursive: true });
  for (const name of ["package.json", "openclaw.plugin.json", "dist"])
    cpSync(join(PACKAGE, name), join(plugin, name), { recursive: true });
  const workspace = (agent: string) => join(home, `workspace-${agent}`);
  for (const agent of ["main", "work"]) mkdirSync(join(workspace(agent), "memory"), { recursive: true });
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    OPENCLAW_STATE_DIR: state,
    NO_COLOR: "1",
  };
  const configure = (config: Record<string, unknown>) =>
    writeFileSync(
      join(state, "openclaw.json"),
      JSON.stringify(configuration({ ...options, plugin, workspace, config }), null, 2),
    );
  const run = (...args: string[]) =>
    new Promise<{ stdout: string; stderr: string; code: number }>((resolve) => {
      execFile(process.execPath, [PROGRAM, ...args], { env, cwd: home, maxBuffer: 1e8 }, (error, stdout, stderr) =>
        resolve({ stdout, stderr, code: typeof error?.code === "number" ? error.code : error ? 1 : 0 }),
      );
    });
  let gateway: ReturnType<typeof spawn> | undefined;
  let log = "";
  const stop = async () => {
    const child = gateway;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    gateway = undefined;
  };
  return {
    home,
    workspace,
    database: (agent) => join(state, "agents", agent, "agent/openclaw-agent.sqlite"),
    configure,
    run,
    stop,
    log: () => log,
    start: async () => {
      log = "";
      const child = spawn(process.execPath, [PROGRAM, "gateway", "run"], { env, cwd: home, stdio: "pipe" });
      gateway = child;
      await new Promise<void>((resolve, reject) => {
        child.once("exit", () => reject(new Error(`The gateway ended.\n${log}`)));
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (data: Buffer) => {
            log += data.toString("utf8");
            if (/\[gateway\] ready\b/.test(log)) resolve();
          });
      });
    },
    turn: async (sessionKey, message) => {
      const agent = /^agent:([^:]+):/.exec(sessionKey)?.[1] ?? "main";
      const response = await fetch(`http://127.0.0.1:${options.port}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-openclaw-session-key": sessionKey },
        body: JSON.stringify({ model: `openclaw/${agent}`, messages: [{ role: "user", content: message }] }),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`The turn failed.\n${answer}\n${log}`);
      const { choices } = JSON.parse(answer) as { choices: { message: { content: string } }[] };
      return choices[0]?.message.content ?? "";
    },
    remove: async () => {
      await stop();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function configuration(options: {
  model: ScriptedModel;
  port: number;
  plugin: string;
  workspace(agent: string): string;
  config: Record<string, unknown>;
}): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const models = [
    { id: "m", name: "m", reasoning: false, input: ["text"], cost, contextWindow: 120000, maxTokens: 4096 },
  ];
  const agentOf = (id: string) => ({ workspace: options.workspace(id) });
  return {
    gateway: {
      mode: "local",
      port: options.port,
      bind: "loopback",
      auth: { mode: "none" },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    agents: {
      defaults: { model: { primary: "scripted/m" }, skipBootstrap: true },
      entries: { main: agentOf("main"), work: agentOf("work") },
    },
    models: {
      mode: "merge",
      providers: { scripted: { baseUrl: options.model.url, apiKey: "k", api: "openai-completions", models } },
    },
    // What no turn here needs takes half of the time that the start takes.
    update: { checkOnStart: false },
    cron: { enabled: false },
    browser: { enabled: false },
    plugins: {
      allow: ["recollect"],
      load: { paths: [options.plugin] },
      slots: { memory: "recollect" },
      entries: {
        recollect: { enabled: true, hooks: { allowConversationAccess: true }, config: options.config },
      },
    },
  };
}

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The version of OpenClaw that the plugin's package.json pins. */
export function pinnedVersion(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
    devDependencies: { openclaw: string };
  };
  return devDependencies.openclaw;
}
