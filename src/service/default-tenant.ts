import { DEFAULT_TENANT_ID } from "../db/control/agents.ts";
import type { Caller } from "./deps.ts";

/** Every caller, until there are keys. */
export const DEFAULT_CALLER: Caller = { tenantId: DEFAULT_TENANT_ID };
