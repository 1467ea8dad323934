#!/usr/bin/env node
import { nodeProblem } from "./node-version.ts";

// All else is imported afterwards: an older Node.js fails to link these modules, before any of
// their code runs.
const problem = nodeProblem();
if (problem === undefined) await import("./run-process.ts");
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
