import { type Command, Option } from "commander";
import type { SearchAnswer, SearchHit, SearchInput, SearchUnavailable } from "../../client/client.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { decimal, wholeNumber } from "../shell/option-parsers.ts";
import { paint } from "../shell/paint.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { type Run, remote } from "../shell/shared-options.ts";

export interface SearchOptions extends RemoteOptions {
  maxResults?: number;
  minScore?: number;
  corpus?: NonNullable<SearchInput["corpus"]>;
}

/** Adds `recollect search`. */
export function addSearch(program: Command, context: CliContext, run: Run): void {
  remote(program.command("search").argument("<query>"))
    .description("search an agent's memory")
    .addHelpText(
      ...guide(
        [
          'recollect search "why did we move the billing job?"',
          "recollect search ERR_CONNECTION_REFUSED --max-results 3",
          'recollect search "release checklist" --agent work --json',
        ],
        "recollect get <path> --from <line>, to read on",
      ),
    )
    .option("--max-results <n>", "most hits to show", wholeNumber(1))
    .option("--min-score <x>", "leave out hits below this score (0 to 1)", decimal)
    .addOption(new Option("--corpus <name>", "what to search").choices(["memory", "sessions", "facts", "all"]))
    .action((query: string, options) => run(search(context, query, options)));
}

/**
 * Runs `recollect search QUERY`.
 *
 * @returns 1 when search is unavailable; otherwise 0, even without a hit
 */
function search(context: CliContext, query: string, options: SearchOptions): Promise<number> {
  const { maxResults, minScore, corpus, json } = options;
  return withMemory(context, { ...options, brief: true }, async (memory) => {
    const answer = await memory.search(query, { maxResults, minScore, corpus });
    if (json) context.stdout.write(`${JSON.stringify(answer)}\n`);
    else if (answer.unavailable) context.stderr.write(`${unavailable(answer)}\n`);
    else context.stdout.write(render(answer, context.colour));
    return answer.unavailable ? 1 : 0;
  });
}

function unavailable(answer: Partial<SearchUnavailable>): string {
  const why = answer.warning ?? answer.error ?? "Memory search is unavailable.";
  return printableLine([why, answer.action].filter(Boolean).join(" "));
}

function render(answer: SearchAnswer, colour: boolean): string {
  const warning = answer.warning ? `${paint("yellow", `warning: ${printableLine(answer.warning)}`, colour)}\n` : "";
  const how = [answer.mode, answer.model].filter(Boolean).join(" · ");
  const mode = how === "" ? "" : `${paint("dim", printableLine(`mode ${how}`), colour)}\n`;
  const hits = answer.results.map((hit, index) => renderHit(hit, index + 1, colour));
  return `${warning}${mode}${hits.length === 0 ? "Nothing found.\n" : `\n${hits.join("\n")}`}`;
}

function renderHit(hit: SearchHit, rank: number, colour: boolean): string {
  const arms = [part("vector", hit.vectorScore), part("text", hit.textScore)].filter(Boolean).join(", ");
  const lines = hit.startLine === hit.endLine ? `L${hit.startLine}` : `L${hit.startLine}-L${hit.endLine}`;
  const place = paint("bold", hit.fact ? printableLine(hit.path) : `${printableLine(hit.path)}#${lines}`, colour);
  // The line above shows the place already, so the citation at the end of the snippet is removed.
  const snippet = printable(hit.snippet.replace(/\n\nSource: [^\n]*$/, "").trim());
  const score = `${hit.score.toFixed(3)}${arms ? ` (${arms})` : ""}`;
  const sharer = hit.sharedBy === undefined ? "" : `shared by ${printableLine(hit.sharedBy)}`;
  return `${[`${rank}. ${place}`, score, sharer, when(hit)].filter(Boolean).join("  ")}\n${snippet.replace(/^/gm, "   ")}\n`;
}

/**
 * Returns the time of a hit: for a fact, since when it holds and which text it replaced; for a
 * conversation, the day of the passage.
 */
function when({ fact, session }: SearchHit): string {
  if (session) return `said ${session.to.slice(0, 10)}`;
  if (!fact) return "";
  const again = fact.confirmed && fact.confirmed.slice(0, 10) !== fact.since.slice(0, 10);
  return [
    `since ${fact.since.slice(0, 10)}`,
    again ? `, said again ${fact.confirmed?.slice(0, 10)}` : "",
    fact.replaced === undefined ? "" : `, before: ${printableLine(fact.replaced)}`,
  ].join("");
}

function part(name: string, score: number | undefined): string {
  return score === undefined ? "" : `${name} ${score.toFixed(3)}`;
}
