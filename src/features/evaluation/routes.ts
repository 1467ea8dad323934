import { z } from "@hono/zod-openapi";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { onceHeaders } from "../../http/write-headers.ts";
import { MEASURE_NAMES } from "../../relevance/measures/measures.ts";
import { factScope } from "../../service/core/scalar-schemas.ts";
import {
  compareEvalRuns,
  getEvalRun,
  getEvalSet,
  listEvalRuns,
  listEvalSets,
  putEvalSet,
  removeEvalRun,
  removeEvalSet,
  startRun,
} from "./manage-evaluations.ts";

/** The most questions of a set. The comparison of two runs takes 30 ms a measure with so many. */
const MAX_QUESTIONS = 300;
const MAX_EXPECTED = 20;
/** The most JSON values of a set: a question with all of its fields, and its expected documents. */
const MAX_SET_VALUES = MAX_QUESTIONS * (10 + 3 * MAX_EXPECTED);

const expected = z.strictObject({
  path: z.string().min(1).max(1024).openapi({ description: "The path of a file, session or fact" }),
  grade: z.number().min(0.01).max(100).default(1).openapi({ description: "How good an answer it is; more is better" }),
});
const question = z
  .strictObject({
    id: z.string().min(1).max(100).openapi({ description: "Unique in the set; runs are compared by it" }),
    text: z
      .string()
      .max(2000)
      .refine((text) => text.trim() !== "", "must not be empty"),
    expected: z.array(expected).min(1).max(MAX_EXPECTED),
    scope: factScope
      .optional()
      .openapi({ description: "The scope of the asker; facts and conversations of other scopes are not found" }),
  })
  .openapi("EvalQuestion", { description: "A question with the documents that a search should find" });

const setInput = z
  .strictObject({
    description: z.string().max(500).default(""),
    items: z.array(question).min(1).max(MAX_QUESTIONS),
  })
  .openapi("EvalSetInput", { description: "The questions of a set" });

const setFields = {
  name: z.string(),
  description: z.string(),
  questions: z.int().openapi({ description: "How many questions it has" }),
  createdAt: z.string(),
  updatedAt: z.string(),
  updatedBy: z.string(),
};
const evalSet = z.object(setFields).openapi("EvalSet", { description: "A set of questions for evaluations" });
const setList = z.object({ sets: z.array(evalSet) }).openapi("EvalSetList");
const wholeSet = z
  .object({ ...setFields, items: z.array(question) })
  .openapi("WholeEvalSet", { description: "A set with its questions" });

const interval = { mean: z.number(), low: z.number(), high: z.number() };
const ofMeasures = <T extends z.ZodType>(schema: T) =>
  z.object(
    Object.fromEntries(MEASURE_NAMES.map((name) => [name, schema])) as Record<(typeof MEASURE_NAMES)[number], T>,
  );
const summary = z
  .object({
    measures: ofMeasures(
      z.object(interval).openapi("EvalInterval", { description: "A mean with its 95 % bootstrap interval" }),
    ),
    missed: z.int().openapi({ description: "How many questions have no right answer among the first ten" }),
    p50Ms: z.int(),
    p95Ms: z.int(),
    model: z.string().openapi({ description: "The embedding model of the index" }),
  })
  .openapi("EvalSummary", { description: "The figures of a run, as `recollect eval` computes them" });

const runFields = {
  id: z.string(),
  set: z.string(),
  state: z
    .enum(["waiting", "done", "failed"])
    .openapi({ description: "`waiting`: a job asks the questions; see `done`" }),
  label: z.string(),
  questions: z.int(),
  done: z.int().openapi({ description: "How many questions have been asked" }),
  summary: z.union([summary, z.null()]).openapi({ description: "null until the run has ended" }),
  error: z.string().nullable().openapi({ description: "Why the run failed" }),
  createdBy: z.string(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
};
const run = z.object(runFields).openapi("EvalRun", { description: "One measurement of a search with a set" });
const runList = z.object({ runs: z.array(run) }).openapi("EvalRunList");
const result = z
  .object({
    id: z.string(),
    text: z.string(),
    expected: z.array(z.object({ path: z.string(), grade: z.number() })),
    measures: ofMeasures(z.number()),
    rank: z.int().nullable().openapi({ description: "The rank of the first right answer; null: not in the first 100" }),
    found: z.array(z.string()).openapi({ description: "The first ten paths that were found" }),
    ms: z.int(),
    mode: z.string(),
    warning: z.string().optional(),
  })
  .openapi("EvalResult", { description: "The result of one question" });
const wholeRun = z
  .object({ ...runFields, results: z.array(result) })
  .openapi("WholeEvalRun", { description: "A run with the result of each question" });

const difference = z
  .object({
    ...interval,
    p: z.number().openapi({ description: "How probable such a difference is by chance" }),
    wins: z.int(),
    losses: z.int(),
    ties: z.int(),
  })
  .openapi("EvalDifference", { description: "The mean difference of a measure, with its 95 % interval" });
const comparison = z
  .object({
    before: run,
    after: run,
    shared: z.int().openapi({ description: "How many questions both runs have asked" }),
    measures: ofMeasures(difference),
    questions: z.array(
      z
        .object({
          id: z.string(),
          text: z.string(),
          rankBefore: z.int().nullable(),
          rankAfter: z.int().nullable(),
          before: z.number().openapi({ description: "nDCG@10 in the first run" }),
          after: z.number(),
          change: z.enum(["better", "worse", "equal"]),
        })
        .openapi("EvalChange", { description: "A question in two runs" }),
    ),
  })
  .openapi("EvalComparison", { description: "Two runs, question by question; the largest change first" });

const deleted = z.object({ deleted: z.string() }).openapi("DeletedEval");
const newRun = z
  .strictObject({
    label: z
      .string()
      .max(200)
      .default("")
      .openapi({ description: "A note about the run, such as the setting that was changed" }),
  })
  .openapi("EvalRunInput");

const route = routesOf("Evaluation");
const SETS = "/v1/agents/{agentId}/eval-sets" as const;

/** Sets of questions and runs. */
export const evaluationRoutes = [
  route(`GET ${SETS}`, {
    operationId: "evalSetsList",
    summary: "List an agent's sets of questions",
    description: "An agent has at most 50 sets of 300 questions.",
    scope: "agent:read",
    answer: json(setList, "All of them, by name, without their questions"),
    run: (deps, caller, { params }) => listEvalSets(deps, caller, params.agentId),
  }),
  route(`GET ${SETS}/{evalSet}`, {
    operationId: "evalSetsGet",
    summary: "A set with its questions",
    description: "A set is changed as a whole.",
    scope: "agent:read",
    answer: json(wholeSet, "The set"),
    run: (deps, caller, { params }) => getEvalSet(deps, caller, params.agentId, params.evalSet),
  }),
  route(`PUT ${SETS}/{evalSet}`, {
    operationId: "evalSetsPut",
    summary: "Store a set of questions with the documents that a search should find",
    description:
      "Replaces an earlier set of the name. Its runs stay, and are compared by the ids and texts of questions.",
    scope: "agent:write",
    headers: onceHeaders,
    body: json(setInput, "The questions"),
    bodyValues: MAX_SET_VALUES,
    answer: json(evalSet, "The set"),
    run: (deps, caller, { params, body }) => putEvalSet(deps, caller, params.agentId, params.evalSet, body),
  }),
  route(`DELETE ${SETS}/{evalSet}`, {
    operationId: "evalSetsDelete",
    summary: "Delete a set of questions with its runs",
    description: "The memory itself does not change.",
    scope: "agent:write",
    headers: onceHeaders,
    answer: json(deleted, "The set is gone"),
    run: (deps, caller, { params }) => removeEvalSet(deps, caller, params.agentId, params.evalSet),
  }),
  route(`POST ${SETS}/{evalSet}/runs`, {
    operationId: "evalRunsStart",
    summary: "Ask all questions of a set, in a job",
    description:
      "The newest 50 runs of a set are kept, and at most ten of an agent wait. The searches count as activity of `system`.",
    scope: "agent:write",
    headers: onceHeaders,
    body: json(newRun, "What is measured"),
    status: 202,
    answer: json(run, "The run; it has ended when its state is not `waiting`"),
    run: (deps, caller, { params, body }) => startRun(deps, caller, params.agentId, params.evalSet, body.label),
  }),
  route(`GET ${SETS}/{evalSet}/runs`, {
    operationId: "evalRunsList",
    summary: "List the runs of a set, newest first",
    description: "Shows the figures of each run.",
    scope: "agent:read",
    answer: json(runList, "All that are kept"),
    run: (deps, caller, { params }) => listEvalRuns(deps, caller, params.agentId, params.evalSet),
  }),
  route(`GET ${SETS}/{evalSet}/runs/{runId}`, {
    operationId: "evalRunsGet",
    summary: "A run with the result of each question",
    description: "Shows which documents were found, and at which rank the first right one stood.",
    scope: "agent:read",
    answer: json(wholeRun, "The run"),
    run: (deps, caller, { params }) => getEvalRun(deps, caller, params.agentId, params.evalSet, params.runId),
  }),
  route(`DELETE ${SETS}/{evalSet}/runs/{runId}`, {
    operationId: "evalRunsDelete",
    summary: "Delete a run",
    description: "A run that waits is not made.",
    scope: "agent:write",
    headers: onceHeaders,
    answer: json(deleted, "The run is gone"),
    run: (deps, caller, { params }) => removeEvalRun(deps, caller, params.agentId, params.evalSet, params.runId),
  }),
  route(`GET ${SETS}/{evalSet}/runs/{runId}/compare/{otherRunId}`, {
    operationId: "evalRunsCompare",
    summary: "Compare a run with an earlier one",
    description:
      "`otherRunId` is the run before. Says for each measure how large the difference is, and how probable it is by chance, over " +
      "the questions that both runs have asked in the same words.",
    scope: "agent:read",
    answer: json(comparison, "The differences from the run before"),
    run: (deps, caller, { params }) =>
      compareEvalRuns(deps, caller, params.agentId, params.evalSet, { before: params.otherRunId, after: params.runId }),
  }),
];
