import { invalidEnvironment } from "../config/command-config.ts";
import type { Config } from "../config/config.ts";
import { FEATURES } from "../features.ts";
import type { Route } from "../http/context.ts";
import { CORE_JOBS } from "../jobs/core-jobs.ts";
import type { Job } from "../jobs/job.ts";
import type { JobSettings } from "../queue/job-contracts.ts";
import type { Registered } from "../service/core/hooks.ts";
import { collectHooks, type Hooks } from "../service/hooks.ts";
import { enabledFeatures } from "./enabled-features.ts";

/** The parts of a service that the core and the enabled features contribute. */
export interface LoadedFeatures {
  /** The routes of the features. */
  readonly routes: readonly Route[];
  /** The kinds of jobs of the core and of the features. */
  readonly jobs: readonly Job[];
  /** The settings of these kinds, for the queue. */
  readonly kinds: readonly JobSettings[];
  readonly hooks: Registered<Hooks>;
  /** Closes what the parts of the features have opened. */
  readonly closers: readonly (() => Promise<void>)[];
  /** The names of the enabled features. */
  readonly on: readonly string[];
  /** The names of the features that are switched off. */
  readonly off: readonly string[];
}

/**
 * Loads the parts of the enabled features that run in a service.
 *
 * @throws AppError `config_invalid` as `enabledFeatures`, and if archives are to be written while
 *   their feature is switched off
 */
export async function loadFeatures(config: Config): Promise<LoadedFeatures> {
  const enabled = enabledFeatures(config.features);
  // An operator who relies on these archives must learn of it at the start, not after a loss.
  if (config.exports && !enabled.some(({ name }) => name === "archives"))
    throw invalidEnvironment([
      "RECOLLECT_EXPORT_DIR: archives are written by the feature archives, which RECOLLECT_FEATURES switches off; unset one of the two",
    ]);
  const services = await Promise.all(enabled.map(async ({ loadService }) => (await loadService?.(config)) ?? {}));
  const jobs = [...CORE_JOBS, ...services.flatMap(({ jobs = [] }) => jobs)];
  return {
    routes: services.flatMap(({ routes = [] }) => routes),
    jobs,
    kinds: jobs.map(({ settings }) => settings),
    hooks: collectHooks(services.map(({ hooks = {} }) => hooks)),
    closers: services.flatMap(({ close = [] }) => close),
    on: enabled.map(({ name }) => name),
    off: FEATURES.filter((one) => !enabled.includes(one)).map(({ name }) => name),
  };
}
