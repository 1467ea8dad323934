import { agentPath, callApi } from "./api-client.ts";
import type { CliContext, RemoteOptions } from "./context.ts";
import { paint } from "./paint.ts";

export interface SearchOptions extends RemoteOptions {
  maxResults?: number;
  minScore?: number;
  corpus?: string;
}

interface Answer {
  results: {
    path: string;
    startLine: number;
    endLine: number;
    score: number;
    vectorScore?: number;
    textScore?: number;
    snippet: string;
  }[];
  mode?: string;
  warning?: string;
  action?: string;
}

/** `recollect search QUERY`. */
export async function search(context: CliContext, query: string, options: SearchOptions): Promise<number> {
  const connection = await context.connect(options.url === undefined ? {} : { url: options.url });
  try {
    const { maxResults, minScore, corpus } = options;
    const answer = await callApi<Answer>(connection, "POST", agentPath(options.agent, "tools/memory_search"), {
      query,
      ...(maxResults === undefined ? {} : { maxResults }),
      ...(minScore === undefined ? {} : { minScore }),
      ...(corpus === undefined ? {} : { corpus }),
    });
    context.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : render(answer, context.colour));
    return 0;
  } finally {
    await connection.close();
  }
}

function render(answer: Answer, colour: boolean): string {
  const warning = answer.warning ? `${paint("yellow", `warning: ${answer.warning}`, colour)}\n` : "";
  if (answer.results.length === 0) return `${warning}Nothing found.${answer.action ? ` ${answer.action}` : ""}\n`;
  const hits = answer.results.map((hit, index) => {
    const arms = [part("vector", hit.vectorScore), part("text", hit.textScore)].filter(Boolean).join(", ");
    const place = `${hit.path}#L${hit.startLine}-L${hit.endLine}`;
    const head = `${index + 1}. ${paint("bold", place, colour)}  ${hit.score.toFixed(3)}${arms ? ` (${arms})` : ""}`;
    return `${head}\n${hit.snippet
      .replace(/\n\nSource: [^\n]*$/, "")
      .trim()
      .replace(/^/gm, "   ")}\n`;
  });
  return `${warning}${hits.join("\n")}`;
}

function part(name: string, score: number | undefined): string {
  return score === undefined ? "" : `${name} ${score.toFixed(3)}`;
}
