/** Every sentence of the console that is not a label beside its field. */
export const texts = {
  signIn: {
    title: "Sign in to Recollect",
    hint: "Paste an API key. It stays in this tab and is sent as a header, never as a cookie.",
    refused: "The service does not accept this key.",
    make: "An operator makes one with: recollect keys create console --scope tenant",
  },
  notForThisKey: "Not for this key",
  more: "More",
  noPage: "There is no such page.",
  palette: { prompt: "A page, or words to search for…", none: "No page has this name." },
  archive: {
    import: "The archive of an agent, as Export saves it. All of it is taken, or nothing.",
  },
  erasure: {
    agent: "All of its files, conversations and facts are removed for good. You get a receipt.",
    none: "No agent was erased.",
    hashes: "The receipt has the SHA-256 of each path, and no text.",
  },
  settings: {
    noJson: "This is not a JSON object yet.",
    noChange: "Nothing is changed yet. What you change is explained here before you save it.",
    unknown: "There is no such setting; the service will refuse it.",
    newIndex: "This builds a new index in the background. Searches use the current one until it is ready.",
    atOnce: "This takes effect with the next request.",
  },
  agents: { none: "There is no agent yet. Write a file or a conversation and its agent is there." },
  overview: {
    empty: "This agent knows nothing yet. Sync a folder, or append a conversation:",
    noProblem: "Nothing is wrong.",
  },
  search: {
    prompt: "Ask a question, or type a name, an error code or a path.",
    nothing: "Nothing was found.",
    nothingHint: "Use other words, remove a filter, or ask why a file or fact is not shown.",
    whyNot:
      "Name a file, conversation or fact that you expected. You see at which step each of its parts was left out.",
    saved: "Questions that you save with their right answer make an evaluation set. It stays in this browser.",
    noPath: "There is nothing at this path.",
    notIndexed: "It is stored, and waits to be indexed.",
    evalSaved: "Three files were saved. Put them into one folder and run: recollect eval FOLDER",
    evalTooLarge:
      "The agent has more files than a set made in the browser can hold. Make the corpus from your own folder.",
    noSaved: "No question is saved yet. Run a search and mark the hit that is right.",
  },
  files: {
    none: "No file is stored.",
    noneHint: "Sync a folder: recollect sync ~/notes",
    choose: "Choose a file.",
    chunks: "So the index cuts this file. Neighbours may share lines.",
    noChunks: "Nothing of this file is indexed.",
    noChunksHint: "It has no text, or the index is being made anew.",
    erase: "The file and everything that was indexed of it are removed.",
  },
  sessions: {
    none: "No conversation is stored.",
    noneHint: "Append messages: recollect sessions add chat.jsonl",
    choose: "Choose a conversation.",
    erase: "Its messages and what was indexed of them are removed. Facts that were captured stay.",
  },
  facts: {
    none: "No fact is stored.",
    noneHint: "Facts come from what users state in conversations, or are added here.",
    choose: "Choose a fact.",
    moreLanes: "The list has further facts.",
    gone: "The fact is gone.",
    forget: "The fact is removed for good. To say that something else holds now, correct it instead.",
  },
  live: {
    waiting: "Waiting for a change…",
    used: "Used by",
    unused: "Nobody has searched this memory within the last month.",
    unusedHint:
      "Searches, recalls and captures appear here a few seconds after they were made. Their texts are not kept.",
    kinds: {
      search: { did: "searched", found: "hit" },
      recall: { did: "recalled", found: "hit" },
      capture: { did: "captured", found: "fact" },
    },
  },
  operate: {
    refused: "Your key may not see this. It needs the scope",
    bound: "Your key is bound to one agent. This page needs a key of the whole tenant.",
    revoke: "Whoever uses it is refused from the next request on.",
    noKey: "There is no key yet.",
    noJob: "No job waits, runs or has ended within the last hour.",
    noRule: "There is no rule: every message goes to the default agent.",
    noUsage: "Nothing was asked of an embedding provider yet.",
    noTenant: "There is no tenant.",
    noAudit: "Nothing was done yet that is kept here.",
    shownOnce: "This key is shown only now. Copy it.",
  },
} as const;
