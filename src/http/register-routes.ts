import type { App, HttpDeps } from "./context.ts";
import type { Route } from "./route.ts";
import { agentHistoryRoutes } from "./routes/agent-history.ts";
import { agentIndexRoutes } from "./routes/agent-index.ts";
import { agentRoutes } from "./routes/agents.ts";
import { archiveRoutes } from "./routes/archives.ts";
import { auditRoutes } from "./routes/audit.ts";
import { routingRoutes } from "./routes/bindings.ts";
import { branchRoutes } from "./routes/branches.ts";
import { captureRoutes } from "./routes/capture.ts";
import { doctorRoutes } from "./routes/doctor.ts";
import { factRoutes } from "./routes/facts.ts";
import { fileRoutes } from "./routes/files.ts";
import { fleetRoutes } from "./routes/fleet.ts";
import { healthRoutes } from "./routes/health.ts";
import { historyRoutes } from "./routes/history.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { shareRoutes } from "./routes/shares.ts";
import { tenantRoutes } from "./routes/tenants.ts";
import { toolRoutes } from "./routes/tools.ts";
import { usageRoutes } from "./routes/usage.ts";
import { versionRoutes } from "./routes/versions.ts";

/**
 * Every route of the API. test/http/security-battery.test.ts fails for a route that it does not
 * know.
 */
const ROUTES: readonly Route[] = [
  ...[...fileRoutes, ...versionRoutes, ...sessionRoutes, ...factRoutes, ...captureRoutes, ...toolRoutes, ...mcpRoutes],
  ...[
    ...agentRoutes,
    ...archiveRoutes,
    ...agentIndexRoutes,
    ...agentHistoryRoutes,
    ...historyRoutes,
    ...shareRoutes,
    ...branchRoutes,
    ...keyRoutes,
    ...tenantRoutes,
    ...routingRoutes,
  ],
  ...[...jobRoutes, ...auditRoutes, ...usageRoutes, ...fleetRoutes, ...doctorRoutes, ...healthRoutes],
];

/** Adds every route to the app. */
export function registerRoutes(app: App, deps: HttpDeps): void {
  for (const register of ROUTES) register(app, deps);
}
