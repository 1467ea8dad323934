import type { Command } from "commander";
import { pathOf, treeOf } from "./attach-help.ts";

/** Returns what a person can do about a usage error of commander's code; empty if there is nothing to say. */
type HintOf = (command: Command, code: string | undefined, message: string) => string;

/**
 * Adds a hint to the usage errors of the program and of all its commands, in text and with `--json`.
 * Commander's own settings for errors do not reach the error that it throws.
 */
export function hintAtErrors(program: Command, hintOf: HintOf): void {
  for (const command of treeOf(program)) {
    const fail = command.error.bind(command);
    command.error = (message, options) => fail(`${message}${hintOf(command, options?.code, message)}`, options);
  }
}

/**
 * Names the version that a person may have meant with `--version` behind a command: a file's, which
 * is an argument, or the program's.
 */
export const hintAtVersion: HintOf = (command, code, message) => {
  if (code !== "commander.unknownOption" || !/^error: unknown option '(--version\b|-V')/.test(message)) return "";
  const argument = command.registeredArguments.find((one) => one.name() === "version");
  return argument
    ? `\nThe version is an argument: recollect ${pathOf(command)} <version>`
    : "\nThe version of Recollect: recollect --version";
};
