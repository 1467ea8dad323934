/** The plugin's settings: `plugins.entries.recollect.config` in OpenClaw's configuration. */
export interface Settings {
  readonly url: string;
  readonly key: string | undefined;
  /** Recollect's agents by the ids of OpenClaw's; an agent that is absent keeps its id. */
  readonly agents: Readonly<Record<string, string>>;
  /** The user under whose scope the owner's private conversations are stored. */
  readonly user: string;
  readonly recall: boolean;
  readonly capture: boolean;
  readonly transcripts: boolean;
  readonly files: boolean;
  /** Whether groups and people other than the owner may read the files of the workspace. */
  readonly filesInGroups: boolean;
  /** The longest time that one step of a turn waits for the server. */
  readonly timeoutMs: number;
}

const DEFAULTS: Settings = {
  url: "http://127.0.0.1:7420",
  key: undefined,
  agents: {},
  user: "owner",
  recall: true,
  capture: true,
  transcripts: true,
  files: true,
  filesInGroups: false,
  // A turn must go on within three seconds when the server is away.
  timeoutMs: 2500,
};

/**
 * Reads the plugin's settings. OpenClaw has checked them against openclaw.plugin.json and has put
 * in the variables that they name. Without `url` and `apiKey`, the variables of Recollect's own
 * command line count.
 */
export function readSettings(
  config: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Settings {
  const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value.trim() : undefined);
  const flag = (name: "recall" | "capture" | "transcripts" | "files" | "filesInGroups") => {
    const value = config[name];
    return typeof value === "boolean" ? value : DEFAULTS[name];
  };
  const timeout = config.timeoutMs;
  return {
    url: text(config.url) ?? text(environment.RECOLLECT_URL) ?? DEFAULTS.url,
    key: text(config.apiKey) ?? text(environment.RECOLLECT_API_KEY),
    agents: agentsOf(config.agents),
    user: text(config.user) ?? DEFAULTS.user,
    recall: flag("recall"),
    capture: flag("capture"),
    transcripts: flag("transcripts"),
    files: flag("files"),
    filesInGroups: flag("filesInGroups"),
    timeoutMs: typeof timeout === "number" && timeout > 0 ? timeout : DEFAULTS.timeoutMs,
  };
}

function agentsOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
