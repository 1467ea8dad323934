import type { AddCommands } from "../cli/build-program.ts";
import type { Config } from "../config/config.ts";
import type { Route } from "../http/context.ts";
import type { Job } from "../jobs/job.ts";
import type { Hooks } from "../service/hooks.ts";

/**
 * A capability that the core works without. Everything of a feature stands in one folder, so the
 * folder can be deleted, and an operator can switch the feature off (`RECOLLECT_FEATURES`).
 */
export interface Feature {
  /** The name of its folder, which `RECOLLECT_FEATURES` uses as well. */
  readonly name: string;
  /** The names of the features that it imports. They must not require it in turn. */
  readonly requires?: readonly string[];
  /**
   * Adds its commands to the command line, after the core's commands. Modules that only one command
   * needs are imported in the command's action, because every command loads this function.
   */
  readonly addCommands?: AddCommands;
  /** Imports the part that runs in a service. Commands that talk to a server do not load it. */
  readonly loadService?: (config: Config) => Promise<FeatureService>;
}

/** The part of a feature that runs in a service. */
export interface FeatureService {
  readonly routes?: readonly Route[];
  readonly jobs?: readonly Job[];
  readonly hooks?: Partial<Hooks>;
  /** Closes what this part has opened, such as threads, when the process ends. */
  readonly close?: () => Promise<void>;
}
