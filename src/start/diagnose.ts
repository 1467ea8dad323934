import type { ConnectOptions, Diagnosis } from "../cli/context.ts";
import { readConfig } from "../config/config.ts";
import { openProfiles } from "../config/profiles.ts";
import { connectTo } from "./connect.ts";
import { targetOf } from "./target.ts";

export async function diagnose(options: ConnectOptions): Promise<Diagnosis> {
  const target = targetOf(options, readConfig(), () => openProfiles().read());
  return target ? { findings: [], server: connectTo(target, options.tenant) } : { findings: [] };
}
