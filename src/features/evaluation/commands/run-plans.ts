import { type Answer, type Asked, type Asking, askQueries, canExplain } from "./ask-queries.ts";
import type { EvalQuery } from "./read-dataset.ts";
import type { RunName } from "./run-names.ts";
import { withSettings } from "./with-settings.ts";

/**
 * The runs to make. Without `runs` and `fusions`, there is one run with the agents' current
 * settings.
 */
export interface RunChoice {
  runs?: readonly RunName[];
  fusions?: readonly string[];
}

/** One ranking of every query. */
export interface Run {
  name: string;
  /** The document ids for each query, best first, in the order of the queries. */
  rankings: string[][];
  /** The times of the requests; undefined when the ranking came with another run's answers. */
  milliseconds?: number[];
  seconds?: number;
}

export interface Ran {
  runs: Run[];
  notes: string[];
}

/** The name of the run with the agents' current settings. */
const AS_SET = "as set";
const VECTOR_LEFT_OUT = "The run vector is left out: some answers came without the vector arm.";

/**
 * Makes the chosen runs. A server that can explain its answers is asked to explain every one. It
 * never takes an explained answer from its cache, so a second run measures real times too.
 * Explaining does not make the question slower (131 ms against 154, medians of 300 in turn on a
 * busy machine). The rankings of the two arms come from the answers of the first hybrid run. With a
 * server that cannot explain, the vector arm is a run of its own, with hybrid search switched off,
 * and the keyword arm is left out.
 */
export async function runPlans(asking: Asking, queries: readonly EvalQuery[], choice: RunChoice): Promise<Ran> {
  const ran: Ran = { runs: [], notes: [] };
  const wanted = choice.runs ?? (choice.fusions ? ["hybrid"] : []);
  const arms = (["keyword", "vector"] as const).filter((arm) => wanted.includes(arm));
  const [first] = queries;
  const explain = first !== undefined && (await canExplain(asking, first));
  const passes = passesOf(wanted, choice.fusions, explain);
  for (const [index, pass] of passes.entries()) {
    const asked = await runPass(asking, queries, pass, explain);
    ran.notes.push(...notesOf(pass.name, asked.answers));
    if (explain && index === 0) addArms(ran, arms, asked.answers);
    if (pass.isShown) ran.runs.push({ name: pass.name, ...timed(asked), rankings: documents(asked.answers) });
  }
  if (!explain && arms.length > 0) await addVectorRun(asking, queries, arms, ran);
  return ran;
}

interface Pass {
  name: string;
  fusion?: string;
  isShown: boolean;
}

function passesOf(wanted: readonly RunName[], fusions: readonly string[] | undefined, explain: boolean): Pass[] {
  if (wanted.length === 0) return [{ name: AS_SET, isShown: true }];
  if (!wanted.includes("hybrid")) return explain ? [{ name: "hybrid", isShown: false }] : [];
  if (!fusions) return [{ name: "hybrid", isShown: true }];
  return fusions.map((fusion) => ({ name: `hybrid ${fusion}`, fusion, isShown: true }));
}

function runPass(asking: Asking, queries: readonly EvalQuery[], { name, fusion }: Pass, explain: boolean) {
  const ask = () => askQueries(asking, queries, { label: name, explain });
  const agents = agentsOf(asking, queries);
  return fusion === undefined
    ? ask()
    : withSettings(asking.client, agents, { query: { hybrid: { enabled: true, fusion } } }, ask);
}

function addArms(ran: Ran, arms: readonly ("keyword" | "vector")[], answers: readonly Answer[]): void {
  for (const arm of arms) {
    const rankings = answers.map((answer) => answer[arm] ?? []);
    // An arm that is off or unavailable gives an empty list, like an arm that found nothing.
    const isMissing = arm === "vector" && answers.some((answer) => answer.mode === "keyword");
    if (isMissing) ran.notes.push(VECTOR_LEFT_OUT);
    else ran.runs.push({ name: arm, rankings });
  }
}

async function addVectorRun(
  asking: Asking,
  queries: readonly EvalQuery[],
  arms: readonly ("keyword" | "vector")[],
  ran: Ran,
): Promise<void> {
  if (arms.includes("keyword"))
    ran.notes.push("The run keyword is left out: this server does not say what each arm found; update it.");
  if (!arms.includes("vector")) return;
  const agents = agentsOf(asking, queries);
  const asked = await withSettings(asking.client, agents, { query: { hybrid: { enabled: false } } }, () =>
    askQueries(asking, queries, { label: "vector" }),
  );
  if (asked.answers.some((answer) => answer.mode !== "vector")) ran.notes.push(VECTOR_LEFT_OUT);
  else ran.runs.unshift({ name: "vector", ...timed(asked), rankings: documents(asked.answers) });
}

function agentsOf({ agents }: Asking, queries: readonly EvalQuery[]): string[] {
  const scopes = new Set(queries.map((query) => query.scope));
  return [...new Set([...agents].flatMap(([scope, agent]) => (scopes.has(scope) ? [agent.id] : [])))];
}

function timed({ answers, seconds }: Asked): { milliseconds: number[]; seconds: number } {
  return { milliseconds: answers.map((answer) => answer.milliseconds), seconds };
}

function documents(answers: readonly Answer[]): string[][] {
  return answers.map((answer) => answer.documents);
}

/** Returns notes about answers that do not match the run's name. */
function notesOf(name: string, answers: readonly Answer[]): string[] {
  const warned = answers.filter((answer) => answer.warning !== undefined);
  const modes = new Set(answers.map((answer) => answer.mode));
  const isOther = [...modes].some((mode) => mode !== "hybrid");
  return [
    ...(isOther ? [`The run ${name} has answers of the mode ${[...modes].join(" and ")}.`] : []),
    ...(warned.length > 0 ? [`${name}: ${warned.length} answers with a warning, such as: ${warned[0]?.warning}`] : []),
  ];
}
