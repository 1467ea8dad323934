import { nodeProblem } from "./node-version.ts";

// A module that imports this one before all others reports an old Node.js in one sentence. Without
// it the first import that this Node.js cannot load fails, with an error that names no remedy.
const problem = nodeProblem();
if (problem !== undefined) throw new Error(problem);
