import type { Logger } from "../base/logger.ts";
import type { Config } from "../config/config.ts";
import { buildProbeApp } from "../http/probe-app.ts";
import { createMetrics, type Metrics } from "../observe/metrics.ts";
import { addProcessMetrics, metricsReader } from "../observe/process-metrics.ts";
import { startTracing } from "../observe/start-tracing.ts";
import type { Runtime } from "./compose.ts";
import { listenAt } from "./listen-at.ts";
import { VERSION } from "./version.ts";

type Watched = Pick<Runtime, "gauged" | "ready">;

/** The metrics, probes and traces of a server or worker process. */
export interface Observation {
  readonly metrics: Metrics;
  /** The URL of metrics and probes; undefined without a port for them. */
  readonly url: string | undefined;
  /** Connects metrics and probes to the running parts, once all of them are open. */
  watch(runtime: Watched): void;
  /** Sends the remaining traces. It must be the last step of a shutdown. */
  stop(): Promise<void>;
}

/**
 * Starts metrics, probes and traces of a server or worker before all other parts, so that a start
 * that fails or takes long can be observed too. Logs a warning of each misspelt variable.
 *
 * @throws AppError `config_invalid`
 */
export async function observeProcess(config: Config, logger: Logger): Promise<Observation> {
  for (const sentence of config.misspelt) logger.warn(sentence);
  const metrics = createMetrics();
  const { tracing, metricsHost: host, metricsPort: port } = config;
  const stopTracing = tracing ? await startTracing({ ...tracing, version: VERSION }) : async () => undefined;
  let runtime: Watched | undefined;
  const stop = async () => {
    // A receiver of traces that is unreachable must not keep the process from ending.
    await stopTracing().catch(() => logger.warn("the last traces could not be sent"));
  };
  const watch = (started: Watched) => {
    runtime = started;
  };
  if (port === undefined) return { metrics, url: undefined, watch, stop };
  addProcessMetrics(metrics, VERSION);
  const app = buildProbeApp({
    started: () => runtime !== undefined,
    ready: async () => (await runtime?.ready()) ?? false,
    metrics: metricsReader(metrics, () => runtime?.gauged),
  });
  const place = { host, port, hostSetting: "RECOLLECT_METRICS_HOST", portSetting: "RECOLLECT_METRICS_PORT" };
  const listener = await listenAt(app, place).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  logger.info({ metricsUrl: listener.url }, "metrics and probes");
  return {
    metrics,
    url: listener.url,
    watch,
    stop: async () => {
      await listener.close();
      await stop();
    },
  };
}
