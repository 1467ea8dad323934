import { type Command, Option } from "commander";
import { agentId, httpUrl, tenantName } from "./option-parsers.ts";

/** Runs a command's promise of an exit code. */
export type Run = (command: Promise<number>) => Promise<void>;

/** What `--agent` is for. */
export const AGENT_OPTION = "the agent (default: the key's own if it is for one, else main)";

/** Options of every command that talks to the API: which server is meant. */
export function connecting(command: Command): Command {
  return command
    .option("--profile <name>", "a server by its name (see recollect profile), or embedded")
    .addOption(new Option("--url <url>", "the server to talk to").argParser(httpUrl).conflicts("profile"));
}

/** Options of every administrative command. */
export function administrative(command: Command): Command {
  return connecting(
    command.option("--tenant <name>", "act in this tenant, by name or id (operator only)", tenantName),
  ).option("--json", "print one JSON object");
}

/** Options of every command about one agent's memory. */
export function remote(command: Command, json = "print one JSON object"): Command {
  return connecting(command.option("--agent <id>", AGENT_OPTION, agentId)).option("--json", json);
}
