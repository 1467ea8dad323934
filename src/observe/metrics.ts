import { Counter, Gauge, Histogram, Registry } from "prom-client";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
const JOB_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 10, 60, 300, 1800];
const CANDIDATES = [0, 1, 2, 5, 10, 24, 50, 100, 200];
/**
 * The most values of the label `model`. Tenants choose models, and there may be ten thousand
 * tenants.
 */
const MAX_MODELS = 50;
const MAX_TENANTS = 100;

/** The metrics of one process. */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates the metrics of a process in their own registry, so that two services in one process do
 * not share counts. Each help text says what its metric means. Labels hold names from this code,
 * and a bounded number of ids.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    /** Returns the value of the label `model`. */
    modelLabel: boundedLabel(MAX_MODELS),
    /** Returns the value of the label `tenant`. */
    tenantLabel: boundedLabel(MAX_TENANTS),
    buildInfo: new Gauge({
      name: "recollect_build_info",
      help: "Always 1; the label is the running version",
      labelNames: ["version"],
      registers,
    }),
    requests: new Histogram({
      name: "recollect_http_request_duration_seconds",
      help: "Requests by route and status, until the answer begins",
      labelNames: ["method", "route", "status"],
      buckets: SECONDS,
      registers,
    }),
    ...searchMetrics(registers),
    ...providerMetrics(registers),
    ...databaseMetrics(registers),
    ...jobMetrics(registers),
    ...tenantMetrics(registers),
  };
}

function searchMetrics(registers: Registry[]) {
  const searches = new Histogram({
    name: "recollect_search_duration_seconds",
    help: "Searches by the mode of their answer: hybrid, vector, keyword, or unavailable",
    labelNames: ["mode"],
    buckets: SECONDS,
    registers,
  });
  // Prometheus sees no increase in a series that begins with 1: the first degraded search of a
  // process would count as 1 among 0 searches, and the alert about their share would say infinity.
  for (const mode of ["hybrid", "vector", "keyword", "unavailable"]) searches.zero({ mode });
  return {
    searches,
    searchPhases: new Histogram({
      name: "recollect_search_phase_duration_seconds",
      help: "Parts of searches that no cache answered: embed (asking the provider), hyde, keyword, vector, fuse, rerank",
      labelNames: ["phase"],
      buckets: SECONDS,
      registers,
    }),
    searchCandidates: new Histogram({
      name: "recollect_search_candidates",
      help: "Candidates that a search arm returned; the count is the number of its calls",
      labelNames: ["arm"],
      buckets: CANDIDATES,
      registers,
    }),
    degradedSearches: new Counter({
      name: "recollect_searches_degraded_total",
      help: "Searches without the vector arm, because the embedding provider failed or is unavailable",
      registers,
    }),
    cacheLookups: new Counter({
      name: "recollect_cache_lookups_total",
      help: "Lookups in a cache (answers, query_vectors, embeddings), by result: hit or miss",
      labelNames: ["cache", "result"],
      registers,
    }),
  };
}

function providerMetrics(registers: Registry[]) {
  return {
    embedCalls: new Histogram({
      name: "recollect_embed_duration_seconds",
      help: "Calls of embedding providers, with their retries, by outcome: ok, aborted or an error's code",
      labelNames: ["provider", "model", "kind", "outcome"],
      buckets: SECONDS,
      registers,
    }),
    embedTexts: new Counter({
      name: "recollect_embed_texts_total",
      help: "Texts that were embedded, except in a provider's own batches",
      labelNames: ["provider", "model", "kind"],
      registers,
    }),
    embedTokens: new Counter({
      name: "recollect_embed_tokens_total",
      help: "Tokens that providers counted, else estimates, except in a provider's own batches",
      labelNames: ["provider", "model", "kind"],
      registers,
    }),
    modelCalls: new Histogram({
      name: "recollect_model_duration_seconds",
      help: "Calls of chat models and rerankers, by outcome: ok, aborted or an error's code",
      labelNames: ["kind", "provider", "model", "outcome"],
      buckets: SECONDS,
      registers,
    }),
  };
}

function databaseMetrics(registers: Registry[]) {
  return {
    statements: new Histogram({
      name: "recollect_db_statement_duration_seconds",
      help: "Statements by their first word; BEGIN includes the wait for a connection",
      labelNames: ["operation"],
      buckets: SECONDS,
      registers,
    }),
    slowStatements: new Counter({
      name: "recollect_db_slow_statements_total",
      help: "Statements that took longer than RECOLLECT_SLOW_QUERY_MS",
      registers,
    }),
    lostStatements: new Counter({
      name: "recollect_db_prepared_statements_lost_total",
      help: "Connections that lost their prepared statements and then stopped using them: a sign of a transaction pooler without DATABASE_DIRECT_URL",
      registers,
    }),
    poolConnections: new Gauge({
      name: "recollect_db_pool_connections",
      help: "Connections of this process, by state: busy or idle",
      labelNames: ["state"],
      registers,
    }),
    poolWaiting: new Gauge({
      name: "recollect_db_pool_waiting",
      help: "Requests for a connection that wait for one to be free",
      registers,
    }),
  };
}

function jobMetrics(registers: Registry[]) {
  return {
    jobs: new Histogram({
      name: "recollect_job_duration_seconds",
      help: "Jobs that this process ran, by outcome: completed or failed (an attempt, which may be tried again)",
      labelNames: ["queue", "outcome"],
      buckets: JOB_SECONDS,
      registers,
    }),
    queuedJobs: new Gauge({
      name: "recollect_queue_jobs",
      help: "Jobs of the whole service, by state: waiting (at most 10000 are counted) or active; those of dead-letter have failed for good",
      labelNames: ["queue", "state"],
      registers,
    }),
    oldestJob: new Gauge({
      name: "recollect_queue_oldest_due_seconds",
      help: "How long the oldest due job has been due; 0 when no job is due",
      labelNames: ["queue"],
      registers,
    }),
    workerSilence: new Gauge({
      name: "recollect_worker_silent_seconds",
      help: "Time without a sign of any worker while jobs were due; 0 while a worker runs, +Inf when no worker ever ran",
      registers,
    }),
  };
}

function tenantMetrics(registers: Registry[]) {
  const labelNames = ["tenant"] as const;
  return {
    tenantRequests: new Counter({
      name: "recollect_tenant_requests_total",
      help: "Requests by tenant: the first 100 that this process meets, and other",
      labelNames,
      registers,
    }),
    tenantTokens: new Counter({
      name: "recollect_tenant_embed_tokens_total",
      help: "Tokens of embeddings, by the same tenants as recollect_tenant_requests_total",
      labelNames,
      registers,
    }),
    tenantJobSeconds: new Counter({
      name: "recollect_tenant_job_seconds_total",
      help: "Seconds of jobs, by the same tenants as recollect_tenant_requests_total",
      labelNames,
      registers,
    }),
  };
}

/** The value that replaces all values beyond the limit. */
const OTHER = "other";

/**
 * Limits the number of a label's values, because Prometheus keeps a series for each. The first
 * values are kept; later values share one.
 */
function boundedLabel(limit: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= limit) return OTHER;
    known.add(value);
    return value;
  };
}
