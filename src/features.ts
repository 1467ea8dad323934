import { anthropicTool } from "./features/anthropic-tool/feature.ts";
import { archives } from "./features/archives/feature.ts";
import { branches } from "./features/branches/feature.ts";
import { capture } from "./features/capture/feature.ts";
import { codingAgents } from "./features/coding-agents/feature.ts";
import { doctor } from "./features/doctor/feature.ts";
import { documents } from "./features/documents/feature.ts";
import { evaluation } from "./features/evaluation/feature.ts";
import { factIngest } from "./features/fact-ingest/feature.ts";
import type { Feature } from "./features/feature.ts";
import { imports } from "./features/imports/feature.ts";
import { memoryMap } from "./features/map/feature.ts";
import { providerBatches } from "./features/provider-batches/feature.ts";
import { routing } from "./features/routing/feature.ts";
import { serverFolders } from "./features/server-folders/feature.ts";
import { sharing } from "./features/sharing/feature.ts";
import { snapshots } from "./features/snapshots/feature.ts";
import { whyNot } from "./features/why-not/feature.ts";

/**
 * All features, in the order in which their commands, routes and hooks are added. Only the modules
 * of `start` import this list. To delete a feature, delete its folder, its line here, its tests, its
 * line in docs/ARCHITECTURE.md and its tests' names in test/support/suites.ts
 * (`npm run check:features` compiles the rest for each one); then run `npm run client:types`.
 */
export const FEATURES: readonly Feature[] = [
  imports,
  documents,
  serverFolders,
  capture,
  factIngest,
  anthropicTool,
  codingAgents,
  whyNot,
  sharing,
  archives,
  snapshots,
  branches,
  memoryMap,
  evaluation,
  routing,
  providerBatches,
  doctor,
];
