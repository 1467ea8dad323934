interface Place {
  url: string;
  agent: string;
  /** Whether the service wants a key. The key itself is never shown. */
  withKey: boolean;
}

/** Returns the first steps of each kind of program, for copying. */
export function snippetsFor({ url, agent, withKey }: Place) {
  const exported = withKey ? "export RECOLLECT_API_KEY=rcl_…\n" : "";
  return {
    cli: `export RECOLLECT_URL=${url}
${exported}recollect sync ~/notes --agent ${agent}
recollect search "what did we decide" --agent ${agent}`,
    typescript: `import { createClient } from "@recollect/client";

const memory = createClient({
  url: "${url}",${withKey ? "\n  key: process.env.RECOLLECT_API_KEY," : ""}
}).agent("${agent}");

await memory.facts.add({ text: "Petra lives in Oslo." });
const { results } = await memory.search("where does Petra live");`,
    python: `${withKey ? "import os\n" : ""}from recollect import RecollectClient

with RecollectClient("${url}"${withKey ? ', key=os.environ["RECOLLECT_API_KEY"]' : ""}) as recollect:
    memory = recollect.agent("${agent}")
    memory.facts.add("Petra lives in Oslo.")
    results = memory.search("where does Petra live")["results"]`,
    mcp: JSON.stringify(
      {
        mcpServers: {
          recollect: {
            type: "http",
            url: `${url}/v1/agents/${agent}/mcp`,
            ...(withKey ? { headers: { Authorization: "Bearer rcl_…" } } : {}),
          },
        },
      },
      null,
      2,
    ),
  };
}
