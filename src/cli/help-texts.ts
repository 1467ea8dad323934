/** Text below the help of the program and of each command. */
export const HELP = {
  program: `
Examples:
  recollect serve                          the API on http://127.0.0.1:7420, embedded database in .recollect
  recollect sync ~/notes                   make the agent "main" remember a folder
  recollect watch ~/notes                  and keep it so while the folder changes
  recollect search "who owns the release?"
  recollect get MEMORY.md --from 20 --lines 10
  recollect eval examples/eval             how well do questions find what they should?

Without --url (or RECOLLECT_URL) a command uses the server that owns .recollect, or opens the database itself.
Exit codes: 0 done, 1 failed, 2 wrong usage.`,
  serve: `
Examples:
  recollect serve --port 8080
  recollect serve --host 0.0.0.0 --no-worker`,
  worker: `
Example:
  DATABASE_URL=postgres://localhost/recollect recollect worker`,
  mcp: `
The client starts this command; its configuration names the command and its environment. RECOLLECT_URL and RECOLLECT_API_KEY
make it speak for a server, which also serves the protocol itself at /v1/agents/<id>/mcp.

Examples:
  recollect mcp
  recollect mcp --agent support --url http://memory.example:7420`,
  sync: `
Taken are .md .markdown .mdx .txt .rst .adoc .org in UTF-8. Symbolic links are not followed. Files that cannot be taken
are named below the summary. Files that are gone from the folder are deleted from the agent's memory.

Without a folder the server is asked to sync what it knows itself: the agent's extraPaths and its sessions.

Examples:
  recollect sync ~/notes
  recollect sync ~/notes --dry-run                      show what would be sent and removed
  recollect sync docs --agent support --url http://memory.example:7420
  recollect sync docs --prefix handbook                 the folder is handbook/ of the memory
  recollect sync docs --ignore 'drafts/' '*.txt'        patterns come after the folder
  recollect sync --agent support                        the server's own folders`,
  watch: `
Begins with a sync, then sends what changes, until Ctrl-C. A folder that is away or empty deletes nothing. Without a server
the command opens the database itself, and others cannot meanwhile: better run \`recollect serve\` first.

Examples:
  recollect watch ~/notes
  recollect watch docs --agent support --prefix handbook --url http://memory.example:7420
  recollect watch ~/notes --debounce 5000 --json        a JSON object for each batch`,
  search: `
Examples:
  recollect search "why did we move the billing job?"
  recollect search ERR_CONNECTION_REFUSED --max-results 3
  recollect search "release checklist" --agent work --json`,
  get: `
Examples:
  recollect get MEMORY.md
  recollect get memory/2026-05-18.md --from 20 --lines 10`,
  eval: `
The folder has corpus.jsonl {"id", "title"?, "text", "scope"?, "date"?}, queries.jsonl {"id", "text", "scope"?} and qrels.tsv
(a header line, then query id, document id and a number above 0 for relevant, tab-separated). A question is asked among the
documents of its scope. Documents are stored in agents of their own, which stay: the next run sends only what changed.

Examples:
  recollect eval examples/eval
  recollect eval questions --runs keyword,vector,hybrid --html report.html
  recollect eval questions --save before.json           then change a setting of the agents, and
  recollect eval questions --compare before.json        see whether it helped, and whether by chance
  recollect eval questions --fusions weighted,rrf
  recollect eval questions --min-ndcg 0.6 --json        for a pipeline: exit code 1 below 0.6

Measures are those of trec_eval (nDCG with linear gain, MRR over the first 10), with 95 % bootstrap intervals. Against a server
the key needs the scope tenant.`,
  keys: `
Examples:
  recollect keys create operator --scope admin
  recollect keys create "support bot" --scope search agent:write --agent support --expires 2027-01-31
  recollect keys list

Against a server, RECOLLECT_API_KEY holds the key that a command presents.`,
  agents: `
Examples:
  recollect agents create support --name "Support"
  recollect agents set support query.maxResults 10
  recollect agents erase support --yes`,
  sessions: `
A transcript has one JSON object a line: { role, content | text, name?, at | timestamp?, id? }, or is one of OpenClaw or Claude
Code. Tool calls and results are left out. Sent again, only what is new is sent.

Examples:
  recollect sessions add chat.jsonl --session slack:C042
  recollect sessions add ~/.openclaw/agents/main/sessions/*.jsonl --agent main
  recollect sessions watch ~/.openclaw/agents/main/sessions
  recollect sessions list
  recollect sessions show slack:C042 --after 100
  recollect sessions delete slack:C042 --yes

Conversations are searched where the agent's settings say so:
  recollect agents set main sources '["memory", "sessions"]'`,
  facts: `
A fact never changes: one that takes its place ends it, and both can be read.

Examples:
  recollect facts add "Mina lives in Oslo" --key user.city --user mina
  recollect facts search "where does Mina live" --as-of 2026-02-01
  recollect facts history 42
  recollect facts recall "book me a flight home" --user mina
  recollect facts forget 42 --yes`,
  ingest: `
A chat model (RECOLLECT_CHAT_PROVIDER on the server) reads the files in pieces and says one fact a line. What it was asked about is
not asked again, so a second run adds nothing. Files of a folder are read by this command and not kept.

Examples:
  recollect ingest . --dry-run
  recollect ingest ~/workspace --paths "skills/**/*.md" AGENTS.md
  recollect ingest --agent support                      the agent's own files`,
  status: `
Examples:
  recollect status
  recollect status --agent work --json`,
} as const;
