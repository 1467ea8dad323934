import type { CommandHelp } from "./command-help.ts";
/** Help of the commands for whoever looks after a service, and of those about this command. */
export const ADMIN_HELP: Record<string, CommandHelp> = {
  keys: {
    about: "Against a server, a profile or RECOLLECT_API_KEY holds the key that a command presents.",
    examples: [
      "recollect keys create operator --scope admin",
      'recollect keys create "support bot" --scope search agent:write --agent support --expires 2027-01-31',
      "recollect keys list",
    ],
    next: "recollect profile add <name> --url <url> --key-stdin, where the key is used",
  },
  "keys create": {
    examples: [
      'recollect keys create "support bot" --scope search agent:write --agent support',
      "recollect keys create operator --scope admin --expires 2027-01-31",
    ],
    next: "recollect profile add <name> --url <url> --key-stdin, where the key is used",
  },
  "keys list": { examples: ["recollect keys list"], next: "recollect keys revoke <id>" },
  "keys revoke": {
    examples: ["recollect keys revoke 0b7e6f1c-9d0a-4c58-8f0e-2f6c0f1a9b3d"],
    next: "recollect keys list",
  },
  "keys generate": {
    examples: ["RECOLLECT_ADMIN_KEY=$(recollect keys generate) recollect serve"],
    next: "recollect serve, with the key in RECOLLECT_ADMIN_KEY",
  },
  agents: {
    examples: [
      'recollect agents create support --name "Support"',
      "recollect agents set support query.maxResults 10",
      "recollect agents erase support --yes",
    ],
    next: "recollect sync <dir> --agent <id>",
  },
  "agents list": {
    examples: ["recollect agents list", "recollect agents list --json | jq -r '.agents[].id'"],
    next: "recollect status --agent <id>",
  },
  "agents create": {
    examples: ['recollect agents create support --name "Support"'],
    next: "recollect sync <dir> --agent <id>",
  },
  "agents settings": {
    examples: ["recollect agents settings support"],
    next: "recollect agents set <id> <key> <value>",
  },
  "agents set": {
    about: "A value is JSON where it can be, else text.",
    examples: [
      "recollect agents set support query.maxResults 10",
      'recollect agents set support sources \'["memory", "facts"]\'',
      "recollect agents set support query.maxResults null    back to the default",
    ],
    next: "recollect agents settings <id>",
  },
  "agents disable": { examples: ["recollect agents disable support"], next: "recollect agents enable <id>" },
  "agents enable": { examples: ["recollect agents enable support"], next: "recollect status --agent <id>" },
  "agents export": {
    examples: [
      "recollect agents export support > support.archive",
      "recollect agents export support --with-vectors --out support.archive",
    ],
    next: "recollect agents import <file>",
  },
  "agents import": {
    examples: ["recollect agents import support.archive --as support2 --url https://memory.example.com"],
    next: "recollect status --agent <id>",
  },
  "agents erase": { examples: ["recollect agents erase support --yes"], next: "recollect audit" },
  jobs: {
    examples: ["recollect jobs list --state failed", "recollect jobs retry 5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d"],
    next: "recollect doctor, when jobs wait and nobody takes them",
  },
  "jobs list": {
    examples: ["recollect jobs list", "recollect jobs list --agent support --state failed"],
    next: "recollect jobs show <id>",
  },
  "jobs show": {
    examples: ["recollect jobs show 5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d"],
    next: "recollect jobs retry <id>",
  },
  "jobs retry": {
    examples: ["recollect jobs retry 5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d"],
    next: "recollect jobs show <id>",
  },
  "jobs cancel": {
    examples: ["recollect jobs cancel 5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d"],
    next: "recollect jobs list",
  },
  tenants: {
    examples: ["recollect tenants create acme", "recollect tenants list"],
    next: "recollect keys create <name> --scope tenant --tenant <id>",
  },
  "tenants list": { examples: ["recollect tenants list"], next: "recollect usage --tenant <id>" },
  "tenants create": {
    examples: ["recollect tenants create acme"],
    next: "recollect keys create <name> --scope tenant --tenant <id>",
  },
  usage: {
    examples: ["recollect usage", "recollect usage --embeddings --from 2027-01-01 --agent support"],
    next: "recollect agents list",
  },
  audit: { examples: ["recollect audit", "recollect audit --json | jq '.entries[0]'"], next: "recollect keys list" },
  fleet: { examples: ["recollect fleet status", "recollect fleet migrate"], next: "recollect doctor" },
  "fleet status": { examples: ["recollect fleet status"], next: "recollect fleet migrate" },
  "fleet migrate": { examples: ["recollect fleet migrate"], next: "recollect fleet status" },
  doctor: {
    about: `Looks and changes nothing. Without a server it looks at what this machine would use: database, pgvector, login, migrations,
embedding provider, built-in model, disk, queue, clock. Of a server it looks at what the key may see. Exit code 1 when a check failed.`,
    examples: [
      "recollect doctor",
      "recollect doctor --profile team",
      "DATABASE_URL=postgres://localhost/recollect recollect doctor",
      "recollect doctor --json | jq '.findings[] | select(.state != \"ok\")'",
    ],
    next: "what each finding says, then recollect doctor again",
  },
  profile: {
    about: "Profiles are kept in ~/.recollect/profiles.json, which nobody else may read.",
    examples: [
      "recollect profile add team --url https://memory.example --key-stdin < key.txt",
      "recollect profile use team",
      "recollect search --profile embedded <query>           the database of this machine, for once",
    ],
    next: "recollect doctor --profile <name>",
  },
  "profile add": {
    about: "With --key-stdin the key is asked for at a terminal, and read from a file or a pipe otherwise.",
    examples: [
      "recollect profile add team --url https://memory.example --key-stdin",
      "recollect profile add team --url https://memory.example --key-stdin < key.txt",
      "recollect profile add lab --url http://127.0.0.1:7420",
    ],
    next: "recollect doctor --profile <name>",
  },
  "profile list": { examples: ["recollect profile list"], next: "recollect profile use <name>" },
  "profile use": {
    examples: [
      "recollect profile use team",
      "recollect profile use embedded           back to this machine's database",
    ],
    next: "recollect doctor",
  },
  "profile remove": { examples: ["recollect profile remove team"], next: "recollect profile list" },
  completion: {
    about: `Put one of these lines where your shell reads it at its start:
  ~/.bashrc                                 source <(recollect completion bash)
  ~/.zshrc, after compinit                  source <(recollect completion zsh)
  ~/.config/fish/config.fish                recollect completion fish | source`,
    examples: ["source <(recollect completion bash)"],
    next: "a new shell, then recollect <Tab>",
  },
  help: { examples: ["recollect help search", "recollect help agents set"], next: "the command itself" },
};
