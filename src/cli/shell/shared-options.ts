import { type Command, Option } from "commander";
import { agentId, httpUrl, tenantName, timeZone, wholeNumber } from "./option-parsers.ts";

/** Runs a command's promise of an exit code. */
export type Run = (command: Promise<number>) => Promise<void>;

/** The description of `--agent`. */
export const AGENT_OPTION = "the agent (default: the agent that the key is bound to, else main)";

/**
 * The least debounce, in milliseconds. With a shorter one, a save in two steps would become two
 * batches.
 */
export const LEAST_DEBOUNCE_MS = 50;
const MOST_DEBOUNCE_MS = 600_000;

/** Adds the option of commands that watch a folder. */
export function debouncing(command: Command): Command {
  return command.option(
    "--debounce <ms>",
    "how long a file must be unchanged before it is sent (default: the agent's sync.watchDebounceMs)",
    wholeNumber(LEAST_DEBOUNCE_MS, MOST_DEBOUNCE_MS),
  );
}

/** Adds the options that choose a server, for every command that talks to the API. */
export function connecting(command: Command): Command {
  return command
    .option("--profile <name>", "a server by its name (see recollect profile), or embedded")
    .addOption(new Option("--url <url>", "the server to talk to").argParser(httpUrl).conflicts("profile"));
}

/** Adds the options of every administrative command. */
export function administrative(command: Command): Command {
  return connecting(
    command.option("--tenant <name>", "act in this tenant, by name or id (operator only)", tenantName),
  ).option("--json", "print one JSON object");
}

/** Adds the options of every command about one agent's memory. */
export function remote(command: Command, json = "print one JSON object"): Command {
  return connecting(command.option("--agent <id>", AGENT_OPTION, agentId)).option("--json", json);
}

/** Adds the option of commands that look for times in a question. */
export function zoned(command: Command): Command {
  return command.option(
    "--timezone <name>",
    "where days such as yesterday begin and end (default: the agent's setting timezone, else the server's zone)",
    timeZone,
  );
}

/**
 * Returns the command of this name, to which a feature adds its own commands.
 *
 * @throws Error if there is none: the core's commands are added first
 */
export function subcommand(parent: Command, name: string): Command {
  const found = parent.commands.find((command) => command.name() === name);
  if (!found) throw new Error(`there is no command ${name}`);
  return found;
}
