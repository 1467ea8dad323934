import { type Command, Option } from "commander";
import type { SearchAnswer, SearchHit, SearchInput, SearchUnavailable } from "../../client/client.ts";
import { absenceOf, withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { pastMoment, share, userName, utcDay, wholeNumber } from "../shell/option-parsers.ts";
import { paint } from "../shell/paint.ts";
import { printable, printableLine } from "../shell/printable.ts";
import { type Run, remote, zoned } from "../shell/shared-options.ts";
import { typedText } from "../shell/standard-input.ts";

export interface SearchOptions extends RemoteOptions {
  maxResults?: number;
  minScore?: number;
  corpus?: NonNullable<SearchInput["corpus"]>;
  timezone?: string;
  after?: string;
  before?: string;
  paths?: string[];
  asOf?: string;
  user?: string;
}

/** Adds `recollect search`. */
export function addSearch(program: Command, context: CliContext, run: Run): void {
  zoned(remote(program.command("search").argument("<query...>")))
    .description("search an agent's memory")
    .addHelpText(
      ...guide(
        [
          'recollect search "why did we move the billing job?"',
          "recollect search ERR_CONNECTION_REFUSED --max-results 3",
          'recollect search "release checklist" --agent work --json',
          'recollect search "what did I note yesterday?" --timezone Europe/Lisbon',
          'recollect search "prices" --after 2026-05-01 --paths "notes/**"',
        ],
        "recollect get <path> --from <line>, to read on",
      ),
    )
    .option("--max-results <n>", "most hits to show", wholeNumber(1))
    .option("--min-score <x>", "leave out hits below this score (0 to 1)", share)
    .addOption(new Option("--corpus <name>", "what to search").choices(["memory", "sessions", "facts", "all"]))
    .option("--after <day>", "only texts from this day on, such as 2026-05-18", utcDay)
    .option("--before <day>", "only texts from before this day", utcDay)
    .option("--paths <patterns...>", "only texts at these paths, such as notes/**")
    .option("--as-of <when>", "what the memory held then: a date or an instant", pastMoment)
    .option("--user <id>", "leave out facts and conversations of other users", userName)
    .action(async (words: string[], options: SearchOptions, command: Command) => {
      const text = await typedText(context, words, command);
      return run(search(context, text, options));
    });
}

/**
 * Runs `recollect search QUERY`.
 *
 * @returns 1 when search is unavailable; otherwise 0, even without a hit
 */
function search(context: CliContext, query: string, options: SearchOptions): Promise<number> {
  const { json, user, maxResults, minScore, corpus, timezone, after, before, paths, asOf } = options;
  const input = {
    maxResults,
    minScore,
    corpus,
    timezone,
    after,
    before,
    paths,
    asOf,
    scope: user === undefined ? undefined : { user },
  };
  return withMemory(context, { ...options, brief: true }, async (memory, { client }) => {
    const answer = await memory.search(query, input);
    if (json) context.stdout.write(`${JSON.stringify(answer)}\n`);
    else if (answer.unavailable) context.stderr.write(`${unavailable(answer)}\n`);
    else context.stdout.write(render(answer, { isCut: minScore === undefined, colour: context.colour }));
    // A search of an agent that does not exist is empty too, so a mistyped name would go unnoticed.
    if (options.agent !== undefined && !answer.unavailable && answer.results.length === 0)
      context.stderr.write(await absenceOf(client, options.agent));
    return answer.unavailable ? 1 : 0;
  });
}

function unavailable(answer: Partial<SearchUnavailable>): string {
  // The answer's action is for a model, which has a user to tell.
  const why = answer.warning ?? "Memory search is unavailable right now.";
  return printableLine(`${why} See recollect doctor.${answer.error === undefined ? "" : ` (${answer.error})`}`);
}

/** Returns a note on the hits for a person, without the sentences that repeat the line above them. */
function noteFor({ note = "", certain }: SearchAnswer): string {
  return certain === false
    ? (/No text is of the days[^.]*\./.exec(note)?.[0] ?? "")
    : note.replace("maxResults", "--max-results");
}

/** @param of `isCut`: whether passages after the third are cut short if none is certain */
function render(answer: SearchAnswer, { isCut, colour }: { isCut: boolean; colour: boolean }): string {
  const nearest = `The nearest passages${isCut ? ", cut short after the third (--min-score 0 shows longer ones)" : ""}`;
  const warning = answer.warning ? `${paint("yellow", `warning: ${printableLine(answer.warning)}`, colour)}\n` : "";
  const how = [answer.mode, answer.model].filter(Boolean).join(" · ");
  const mode = how === "" ? "" : `${paint("dim", printableLine(`mode ${how}`), colour)}\n`;
  const hits = answer.results.map((hit, index) => renderHit(hit, index + 1, colour));
  const unsure =
    answer.certain === false ? `\n${paint("yellow", `Nothing certain was found. ${nearest}:`, colour)}\n` : "";
  const note = hits.length > 0 ? noteFor(answer) : "";
  const said = note === "" ? "" : `${paint("yellow", printableLine(note), colour)}\n`;
  return `${warning}${mode}${said}${hits.length === 0 ? "Nothing found.\n" : `${unsure}\n${hits.join("\n")}`}`;
}

function renderHit(hit: SearchHit, rank: number, colour: boolean): string {
  const arms = [part("vector", hit.vectorScore), part("text", hit.textScore)].filter(Boolean).join(", ");
  const lines = hit.startLine === hit.endLine ? `L${hit.startLine}` : `L${hit.startLine}-L${hit.endLine}`;
  const at = hit.fact ? hit.path : `${hit.path}#${lines}${hit.page === undefined ? "" : `, ${pagesText(hit)}`}`;
  const place = paint("bold", printableLine(at), colour);
  // The line above shows the place already, so the citation at the end of the snippet is removed.
  const snippet = printable(hit.snippet.replace(/\n\nSource: [^\n]*$/, "").trim());
  const score = `${hit.score.toFixed(3)}${arms ? ` (${arms})` : ""}`;
  const sharer = hit.sharedBy === undefined ? "" : `shared by ${printableLine(hit.sharedBy)}`;
  const older = hit.olderThan === undefined ? "" : `older than ${printableLine(hit.olderThan)}`;
  return `${[`${rank}. ${place}`, score, sharer, aboutHit(hit), older].filter(Boolean).join("  ")}\n${snippet.replace(/^/gm, "   ")}\n`;
}

/** Returns the pages of a passage in a document with pages: `page 3` or `pages 3-4`. */
export function pagesText({ page, endPage }: { page?: number | undefined; endPage?: number | undefined }): string {
  return endPage === undefined ? `page ${page}` : `pages ${page}-${endPage}`;
}

/**
 * Returns what tells the meaning of a hit: for a fact, whose it is, since when it holds and which text
 * it replaced; for a conversation, the days of the messages that are shown.
 */
function aboutHit({ fact, session }: SearchHit): string {
  if (session) {
    const { days = [session.to.slice(0, 10)] } = session;
    return `said ${[...new Set([days[0], days.at(-1)])].join(" to ")}`;
  }
  if (!fact) return "";
  const again = fact.confirmed && fact.confirmed.slice(0, 10) !== fact.since.slice(0, 10);
  return [
    fact.user === undefined ? "" : `user: ${printableLine(fact.user)}, `,
    fact.subject === undefined ? "" : `subject: ${printableLine(fact.subject)}, `,
    `since ${fact.since.slice(0, 10)}`,
    again ? `, said again ${fact.confirmed?.slice(0, 10)}` : "",
    fact.replaced === undefined ? "" : `, before: ${printableLine(fact.replaced)}`,
  ].join("");
}

function part(name: string, score: number | undefined): string {
  return score === undefined ? "" : `${name} ${score.toFixed(3)}`;
}
