import type { Command } from "commander";
import { agentId, httpUrl, tenantId } from "./option-parsers.ts";

/** Runs a command's promise of an exit code. */
export type Run = (command: Promise<number>) => Promise<void>;

/** Options of every administrative command. */
export function administrative(command: Command): Command {
  return command
    .option("--tenant <id>", "act in this tenant (operator only)", tenantId)
    .option("--url <url>", "the server to talk to", httpUrl)
    .option("--json", "print one JSON object");
}

/** Options of every command about one agent's memory. */
export function remote(command: Command, json = "print one JSON object"): Command {
  return command
    .option("--agent <id>", "the agent", agentId, "main")
    .option("--url <url>", "the server to talk to", httpUrl)
    .option("--json", json);
}
