import { context, trace } from "@opentelemetry/api";
import { AppError } from "../base/errors.ts";

interface TracingOptions {
  /** The base URL of an OTLP receiver over HTTP, such as `http://localhost:4318`. */
  endpoint: string;
  serviceName: string;
  version: string;
  /**
   * The share, 0..1, of traces that begin here and are recorded. A trace that a caller began is
   * recorded if the caller records it.
   */
  ratio: number;
  /** Loads the SDK; tests pass a replacement. */
  load?: typeof loadSdk;
}

const PACKAGES = ["sdk-trace", "resources", "context-async-hooks", "exporter-trace-otlp-http"]
  .map((name) => `@opentelemetry/${name}`)
  .join(" ");

/**
 * Starts OpenTelemetry's SDK, which sends this process's spans to a receiver.
 *
 * @returns a function that sends the remaining spans and stops the SDK
 * @throws AppError `config_invalid` when the SDK is not installed
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { endpoint, serviceName, version, ratio, load = loadSdk } = options;
  const { sdk, hooks, otlp, resources } = await load().catch((cause: unknown) => {
    throw new AppError(
      "config_invalid",
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, and OpenTelemetry's SDK is not installed. Install it beside Recollect: npm install ${PACKAGES}. Or unset the variable.`,
      { cause },
    );
  });
  const exporter = new otlp.OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces` });
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ "service.name": serviceName, "service.version": version }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const manager = new hooks.AsyncLocalStorageContextManager();
  context.setGlobalContextManager(manager.enable());
  trace.setGlobalTracerProvider(provider);
  return async () => {
    trace.disable();
    context.disable();
    await provider.shutdown();
  };
}

/** Loads optional packages, which are needed only to send traces. */
async function loadSdk() {
  const [sdk, hooks, otlp, resources] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/context-async-hooks"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  return { sdk, hooks, otlp, resources };
}
