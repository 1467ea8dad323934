import type { App, HttpDeps, Route } from "./context.ts";
import { agentHistoryRoutes } from "./routes/agent-history.ts";
import { agentIndexRoutes } from "./routes/agent-index.ts";
import { agentRoutes } from "./routes/agents.ts";
import { auditRoutes } from "./routes/audit.ts";
import { factRoutes } from "./routes/facts.ts";
import { fileRoutes } from "./routes/files.ts";
import { fleetRoutes } from "./routes/fleet.ts";
import { healthRoutes } from "./routes/health.ts";
import { historyRoutes } from "./routes/history.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { tenantRoutes } from "./routes/tenants.ts";
import { toolRoutes } from "./routes/tools.ts";
import { usageRoutes } from "./routes/usage.ts";
import { versionRoutes } from "./routes/versions.ts";

/**
 * The routes of the core. test/http/security-battery.test.ts fails for a route that it does not
 * know.
 */
const CORE_ROUTES: readonly (readonly Route[])[] = [
  fileRoutes,
  versionRoutes,
  sessionRoutes,
  factRoutes,
  toolRoutes,
  mcpRoutes,
  agentRoutes,
  agentIndexRoutes,
  agentHistoryRoutes,
  historyRoutes,
  keyRoutes,
  tenantRoutes,
  jobRoutes,
  auditRoutes,
  usageRoutes,
  fleetRoutes,
  healthRoutes,
];

/** Adds the routes of the core and of the features to the app. */
export function registerRoutes(app: App, deps: HttpDeps): void {
  for (const register of [...CORE_ROUTES.flat(), ...deps.routes]) register(app, deps);
}
