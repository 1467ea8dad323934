import type { CommandHelp } from "./command-help.ts";
import { ADMIN_HELP } from "./help-texts-admin.ts";

const MEMORY_HELP: Record<string, CommandHelp> = {
  serve: {
    about:
      "On loopback the embedded database needs no key; elsewhere, and on Postgres (DATABASE_URL), every request does.",
    examples: ["recollect serve --port 8080", "recollect serve --host 0.0.0.0 --no-worker"],
    next: "recollect sync ~/notes",
  },
  worker: {
    examples: ["DATABASE_URL=postgres://localhost/recollect recollect worker"],
    next: "recollect jobs list",
  },
  migrate: {
    about:
      "Every process does this at its start too. A deployment that does it first learns of a failure before it replaces anything.",
    examples: [
      "DATABASE_URL=postgres://localhost/recollect recollect migrate",
      "recollect migrate --roles    after a restore",
    ],
    next: "recollect serve",
  },
  start: { examples: ["recollect start"], next: "recollect sync ~/notes" },
  mcp: {
    about: `The client starts this command; its configuration names the command and its environment. RECOLLECT_URL and RECOLLECT_API_KEY
make it speak for a server, which also serves the protocol itself at /v1/agents/<id>/mcp.`,
    examples: ["recollect mcp", "recollect mcp --agent support --url http://memory.example:7420"],
    next: "recollect search, to see what the client would find",
  },
  sync: {
    about: `Taken are .md .markdown .mdx .txt .rst .adoc .org in UTF-8. Symbolic links are not followed. Files that cannot be taken
are named below the summary.

Files that are gone from the folder are deleted from the agent's memory if this folder has sent them. What an agent, a program or
another folder wrote stays: a file of the folder that is otherwise there is named as a conflict (exit code 1), and --take-over
replaces it. Files are known by the name of their origin, this machine and the folder; --origin gives a folder one that
lasts, for a pipeline, or for one folder on several machines.

Without a folder the server is asked to sync what it knows itself: the agent's extraPaths and its sessions.`,
    examples: [
      "recollect sync ~/notes",
      "recollect sync ~/notes --dry-run                      show what would be sent, removed and left",
      "recollect sync docs --agent support --url http://memory.example:7420",
      "recollect sync docs --prefix handbook                 the folder is handbook/ of the memory",
      "recollect sync docs --origin wiki                     the same folder wherever it is checked out",
      "recollect sync docs --ignore 'drafts/' '*.txt'        patterns come after the folder",
      "recollect sync --agent support                        the server's own folders",
    ],
    next: "recollect search, or recollect watch to keep it so",
  },
  watch: {
    about: `Begins with a sync, then sends what changes, until Ctrl-C. A folder that is away or empty deletes nothing, and what others
wrote is left to them as by sync. Without a server
the command opens the database itself, and others cannot meanwhile: better run \`recollect serve\` first.`,
    examples: [
      "recollect watch ~/notes",
      "recollect watch docs --agent support --prefix handbook --url http://memory.example:7420",
      "recollect watch ~/notes --debounce 5000 --json        a JSON object for each batch",
    ],
    next: "recollect search, in another terminal",
  },
  search: {
    examples: [
      'recollect search "why did we move the billing job?"',
      "recollect search ERR_CONNECTION_REFUSED --max-results 3",
      'recollect search "release checklist" --agent work --json',
    ],
    next: "recollect get <path> --from <line>, to read on",
  },
  get: {
    examples: ["recollect get MEMORY.md", "recollect get memory/2026-05-18.md --from 20 --lines 10"],
    next: "recollect search, to find the lines that matter",
  },
  status: {
    examples: ["recollect status", "recollect status --agent work --json"],
    next: "recollect doctor, when something seems wrong",
  },
  eval: {
    about: `The folder has corpus.jsonl {"id", "title"?, "text", "scope"?, "date"?}, queries.jsonl {"id", "text", "scope"?} and qrels.tsv
(a header line, then query id, document id and a number above 0 for relevant, tab-separated). A question is asked among the
documents of its scope. Documents are stored in agents of their own, which stay: the next run sends only what changed.

Measures are those of trec_eval (nDCG with linear gain, MRR over the first 10), with 95 % bootstrap intervals. Against a server
the key needs the scope tenant.`,
    examples: [
      "recollect eval examples/eval",
      "recollect eval questions --runs keyword,vector,hybrid --html report.html",
      "recollect eval questions --save before.json           then change a setting of the agents, and",
      "recollect eval questions --compare before.json        see whether it helped, and whether by chance",
      "recollect eval questions --fusions weighted,rrf",
      "recollect eval questions --min-ndcg 0.6 --json        for a pipeline: exit code 1 below 0.6",
    ],
    next: "recollect agents set <agent> <key> <value>, then measure again",
  },
  sessions: {
    about: `A transcript has one JSON object a line: a message as chat APIs have it, { role, content | text, name?, at | timestamp?, id? },
or is one of OpenClaw or Claude Code. Tool calls and results are left out. Sent again, only what is new is sent. What the user
states becomes facts, unless --no-capture or the agent's settings say otherwise.

Conversations are searched unless the agent's settings leave them out:
  recollect agents set main sources '["memory", "sessions", "facts"]'`,
    examples: [
      "recollect sessions add chat.jsonl --session slack:C042",
      "recollect sessions add ~/.openclaw/agents/main/sessions/*.jsonl --agent main",
      "recollect sessions watch ~/.openclaw/agents/main/sessions",
    ],
    next: "recollect search <query> --corpus sessions",
  },
  "sessions add": {
    examples: [
      "recollect sessions add chat.jsonl --session slack:C042",
      "recollect sessions add transcripts/*.jsonl            a session for each file, by its name",
    ],
    next: "recollect sessions list",
  },
  "sessions watch": {
    examples: ["recollect sessions watch ~/.openclaw/agents/main/sessions"],
    next: "recollect sessions list",
  },
  "sessions list": {
    examples: ["recollect sessions list", "recollect sessions list --prefix slack:"],
    next: "recollect sessions show <key>",
  },
  "sessions show": {
    examples: ["recollect sessions show slack:C042 --after 100"],
    next: "recollect search <query> --corpus sessions",
  },
  "sessions delete": { examples: ["recollect sessions delete slack:C042 --yes"], next: "recollect sessions list" },
  facts: {
    about: "A fact never changes: one that takes its place ends it, and both can be read.",
    examples: [
      'recollect facts add "Mina lives in Oslo" --key user.city --user mina',
      'recollect facts search "where does Mina live" --as-of 2026-02-01',
      "recollect facts history 42",
      'recollect facts recall "book me a flight home" --user mina',
      "recollect facts forget 42 --yes",
    ],
    next: "recollect ingest, to have a model find facts in files",
  },
  "facts add": {
    examples: [
      'recollect facts add "Mina lives in Oslo" --key user.city --user mina',
      'recollect facts add "The sprint ends on Friday" --expires 2027-01-31 --tag team',
    ],
    next: "recollect facts search",
  },
  "facts list": {
    examples: ["recollect facts list --user mina", "recollect facts list --as-of 2026-02-01"],
    next: "recollect facts history <id>",
  },
  "facts search": {
    examples: ['recollect facts search "where does Mina live" --as-of 2026-02-01'],
    next: "recollect facts history <id>",
  },
  "facts history": { examples: ["recollect facts history 42"], next: "recollect facts add <text> --supersedes <id>" },
  "facts forget": { examples: ["recollect facts forget 42 43 --yes"], next: "recollect facts list" },
  "facts recall": {
    examples: ['recollect facts recall "book me a flight home" --user mina'],
    next: "recollect facts search, to see the scores",
  },
  ingest: {
    about: `A chat model (RECOLLECT_CHAT_PROVIDER on the server) reads the files in pieces and says one fact a line. What it was asked about is
not asked again, so a second run adds nothing. Files of a folder are read by this command and not kept.`,
    examples: [
      "recollect ingest . --dry-run",
      'recollect ingest ~/workspace --paths "skills/**/*.md" AGENTS.md',
      "recollect ingest --agent support                      the agent's own files",
    ],
    next: "recollect facts list",
  },
};

/** Below the help of `recollect` itself. */
export const PROGRAM_HELP = `
A first minute:
  recollect serve                          the API on http://127.0.0.1:7420, embedded database in .recollect
  recollect sync ~/notes                   make the agent "main" remember a folder
  recollect search "who owns the release?"
  recollect get MEMORY.md --from 20 --lines 10
  recollect doctor                         when something does not work

More about one: recollect help <command>
Which memory: --url or --profile, else RECOLLECT_URL or RECOLLECT_PROFILE, else the profile in use (recollect profile), else this
machine: the server that owns .recollect, or the database itself.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

/** Help by the words that call a command. */
export const HELP: Readonly<Record<string, CommandHelp>> = { ...MEMORY_HELP, ...ADMIN_HELP };
