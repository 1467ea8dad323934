import { type Requester, type RequesterOptions, requesterOf } from "../../../src/cli/sessions/openclaw-requester.ts";
import { memoryActions } from "./actions.ts";
import { agentIds, workspaceOf } from "./agents.ts";
import { memoryCapability } from "./capability.ts";
import { addCommands, COMMANDS } from "./commands.ts";
import type { Host, ToolContext, TranscriptEntry, TurnContext } from "./host.ts";
import { openMemory } from "./memory.ts";
import { memoryTools, type ToolTurn } from "./memory-tools.ts";
import { objectOf } from "./origin.ts";
import { recallFor } from "./recall.ts";
import { readSettings, type Settings } from "./settings.ts";
import { syncAgent } from "./sync-agent.ts";
import { createFileSync } from "./sync-files.ts";
import { loadTranscriptSdk, sessionFinder } from "./transcript-sdk.ts";
import { createTranscriptSync } from "./transcripts.ts";

const ID = "recollect";
/**
 * The parts of a turn's time for which a recall and a tool wait until changed files are sent. The recall
 * itself may take all of the time after that, and the turn must go on within three seconds.
 */
const RECALL_PART = 0.15;
const TOOL_PART = 0.4;

/** Everything that the plugin's parts share in one process. */
type Wiring = ReturnType<typeof wire>;

/** The plugin in the form that OpenClaw loads. */
const plugin = {
  id: ID,
  name: "Recollect",
  description: "Long-term memory in a Recollect server: search over files, conversations and facts.",
  kind: "memory" as const,
  register(host: Host): void {
    const wiring = wire(host);
    for (const tool of memoryTools(wiring.toolTurn)) {
      host.registerTool(tool, { names: [tool({}).name] });
    }
    host.registerMemoryCapability?.(memoryCapability(wiring));
    registerHooks(host, wiring);
    registerSync(host, wiring);
    for (const name of COMMANDS) {
      host.registerCli?.(({ program, config }) => addCommands(program, name, actionsOf(wiring, config)), {
        commands: [name],
      });
    }
  },
};

// biome-ignore lint/style/noDefaultExport: OpenClaw loads a plugin's default export.
export default plugin;

function wire(host: Host) {
  const settings: Settings = readSettings(host.pluginConfig);
  const runtime = () => runtimeOf(host);
  const warn = (message: string) => host.logger.warn(`[${ID}] ${message}`);
  const memory = openMemory(settings);
  const files = createFileSync(memory, warn);
  const sdk = lazily(loadTranscriptSdk);
  const transcripts = createTranscriptSync(memory, { sdk, capture: settings.capture, warn });
  const requesters: RequesterOptions = {
    user: settings.user,
    mainKey: host.config?.session?.mainKey ?? "main",
    entryOf: sessionFinder(runtime),
  };
  const readsFiles = ({ audience }: Requester) =>
    settings.filesInGroups || audience === "owner" || audience === "internal";
  /**
   * Sends the files of a workspace that have changed, before something reads them. Waits for that only
   * a part of a turn's time: the first sync of a workspace may take minutes, and the server may be away.
   */
  const syncFiles = async (agentId: string, folder: string | undefined, part: number): Promise<void> => {
    const workspace = folder ?? workspaceOf(agentId, host.config, runtime());
    if (!settings.files || workspace === undefined) return;
    const synced = files.sync(agentId, workspace);
    if (memory.outage() === undefined) await endOrTime(synced, settings.timeoutMs * part);
  };
  const turnOf = (
    agentId: string,
    sessionKey: string | undefined,
    requester: Requester,
    folder?: string,
  ): ToolTurn => ({
    memory,
    agentId,
    sessionKey,
    requester,
    readsFiles: readsFiles(requester),
    syncFiles: () => syncFiles(agentId, folder, TOOL_PART),
  });
  /** The owner's rights, for commands and for OpenClaw itself. */
  const owner: Requester = { audience: "owner", writes: { user: settings.user }, reads: undefined, isKept: false };
  const syncAll = async (agentId: string, progress?: (done: number, total: number, label: string) => void) =>
    syncAgent(agentId, {
      workspace: settings.files ? workspaceOf(agentId, host.config, runtime()) : undefined,
      files,
      transcripts: settings.transcripts ? transcripts : undefined,
      sdk: await sdk(),
      requesters,
      ...(progress ? { progress } : {}),
    });
  return {
    settings,
    memory,
    transcripts,
    requesters,
    warn,
    readsFiles,
    syncFiles,
    syncAll,
    ownerTurn: (agentId: string) => turnOf(agentId, undefined, owner),
    sessionTurn: (agentId: string, sessionKey: string) =>
      turnOf(agentId, sessionKey, requesterOf(sessionKey, requesters)),
    toolTurn: ({ agentId = "main", sessionKey, workspaceDir }: ToolContext) =>
      turnOf(agentId, sessionKey, requesterOf(sessionKey, requesters), workspaceDir),
  };
}

/**
 * Returns OpenClaw's helpers for plugins. They are absent while OpenClaw only asks for the commands of
 * plugins, and to look at them then is an error.
 */
function runtimeOf(host: Host): unknown {
  try {
    return (host as { runtime?: unknown }).runtime;
  } catch {
    return undefined;
  }
}

/** Recalls before a turn and captures after it. */
function registerHooks(host: Host, { settings, memory, transcripts, requesters, readsFiles, syncFiles }: Wiring): void {
  const before = async (event: { prompt?: unknown; currentUserMessage?: unknown }, context: TurnContext) => {
    const { agentId = "main", sessionKey, workspaceDir } = context;
    const requester = requesterOf(sessionKey, requesters);
    // A message that a program writes asks for nothing that was said before.
    if (requester.audience === "internal" || (context.trigger ?? "user") !== "user") return undefined;
    await syncFiles(agentId, workspaceDir, RECALL_PART);
    const message = event.currentUserMessage ?? event.prompt;
    const turn = { memory, agentId, requester, readsFiles: readsFiles(requester) };
    const recalled = typeof message === "string" ? await recallFor(message, turn) : undefined;
    return recalled === undefined ? undefined : { prependContext: recalled };
  };
  const after = async (event: { messages?: unknown }, context: TurnContext) => {
    const { agentId = "main", sessionKey, sessionId, workspaceDir } = context;
    await syncFiles(agentId, workspaceDir, TOOL_PART);
    if (!settings.transcripts || sessionKey === undefined || sessionId === undefined) return;
    const requester = requesterOf(sessionKey, requesters);
    if (!requester.isKept) return;
    const entries = turnEntries(event.messages, context);
    await transcripts.send({ agentId, sessionKey, sessionId, requester }, { entries });
  };
  if (settings.recall) host.on?.("before_prompt_build", before, { timeoutMs: settings.timeoutMs * 2 + 1000 });
  host.on?.("agent_end", after);
}

/**
 * Returns the messages of a turn as entries of a transcript, for a version of OpenClaw that lets
 * plugins read no transcripts. An id consists of the session, the time and the role, which never change.
 */
function turnEntries(messages: unknown, { sessionId }: TurnContext): TranscriptEntry[] {
  if (!Array.isArray(messages)) return [];
  return messages.map((message: unknown, index) => {
    const { timestamp, role } = objectOf(message);
    const at = typeof timestamp === "number" ? new Date(timestamp).toISOString() : undefined;
    return { entryId: `${sessionId}:${timestamp ?? index}:${role}`, message, createdAt: at };
  });
}

/** Sends at the start of the gateway what was written while it did not run. */
function registerSync(host: Host, { syncAll, warn, settings }: Wiring): void {
  host.registerService?.({
    id: `${ID}-sync`,
    // The gateway's start does not wait for the server.
    start: () => {
      if (!settings.files && !settings.transcripts) return;
      void (async () => {
        for (const agentId of agentIds(host.config)) {
          const { problems } = await syncAll(agentId);
          for (const problem of problems) warn(problem);
          if (problems.length > 0) return;
        }
      })();
    },
  });
}

function actionsOf({ memory, settings, ownerTurn, syncAll }: Wiring, config: Host["config"]) {
  return memoryActions({ memory, settings, agents: agentIds(config), turnOf: ownerTurn, sync: syncAll });
}

/** Waits for the end of work, but not longer than some time. The work goes on. */
async function endOrTime(work: Promise<unknown>, timeMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeMs);
  });
  await Promise.race([work, time]);
  clearTimeout(timer);
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
