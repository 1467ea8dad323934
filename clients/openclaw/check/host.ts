/**
 * Compares the types of `src/host.ts` with the types of the OpenClaw that package.json pins:
 * `npx tsc -p clients/openclaw`, once OpenClaw is installed there.
 */
import type { OpenClawPluginApi } from "openclaw/plugin-sdk/plugin-entry";
import type { Host, MemoryCapability } from "../src/host.ts";

type TheirCapability = Parameters<OpenClawPluginApi["registerMemoryCapability"]>[0];

/** OpenClaw accepts the capability that the plugin registers. */
export const accepted = (capability: MemoryCapability): TheirCapability => capability;

/** OpenClaw's interface has every part that the plugin may call. */
export const offered = (api: OpenClawPluginApi): { [Part in Exclude<keyof Host, "pluginConfig">]-?: unknown } => api;
