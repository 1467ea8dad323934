import type { Config } from "../config/config.ts";
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
}

/** Loads the parts of the enabled features that run in a service. */
export async function loadFeatures(config: Config): Promise<LoadedFeatures> {
  const enabled = enabledFeatures(config.features);
  const services = await Promise.all(enabled.map(async ({ loadService }) => (await loadService?.(config)) ?? {}));
  const jobs = [...CORE_JOBS, ...services.flatMap(({ jobs = [] }) => jobs)];
  return {
    routes: services.flatMap(({ routes = [] }) => routes),
    jobs,
    kinds: jobs.map(({ settings }) => settings),
    hooks: collectHooks(services.map(({ hooks = {} }) => hooks)),
  };
}
