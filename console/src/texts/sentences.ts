import { texts } from "./texts.ts";

/**
 * The console's texts that contain values. The other texts are in `texts.ts`. The caller formats
 * the values.
 */
export const sentences = {
  title: (page: string | undefined) => (page === undefined ? "Recollect" : `${page} · Recollect`),
  of: (page: string, agent: string) => `${page} of ${agent}`,
  agent: (id: string) => `Agent ${id}`,
  done: (done: string, total: string) => `${done} of ${total}`,
  removeRule: (match: string, agent: string) => `Messages of ${match} no longer go to ${agent} by this rule.`,
  loading: (what: string) => `Loading ${what}…`,
  code: (code: string) => `Code: ${code}`,
  by: (at: string, actor: string) => `${at}, by ${actor}`,
  asTable: (label: string) => `${label}, as a table`,
  searchMemory: (words: string) => `Search the memory for “${words}”`,
  checksPassed: (count: string) => `${count} checks passed`,
  syncInto: (agent: string) => `recollect sync ~/notes --agent ${agent}`,
  jobs: (kind: string, waiting: number, active: number, failed: number) =>
    `${kind}: ${waiting} waiting, ${active} active, ${failed} failed`,
  to: (from: string | number, to: string | number) => `${from} to ${to}`,
  linesTo: (from: number, to: number) => `Lines ${from} to ${to}`,
  lines: (path: string, from: number, to: number) => `${path}, lines ${from} to ${to}`,
  messages: (session: string, from: number, to: number) => `${session}, messages ${from} to ${to}`,
  underKey: (name: string) => `key ${name}`,
  backTo: (tenant: string) => `Back to ${tenant}`,
  sharedBy: (agent: string) => `shared by ${agent}`,
  window: (from: number, to: number) => `Window: messages ${from} to ${to}`,
  under: (headings: string) => ` · under ${headings}`,
  file: (size: string, lines: string, changed: string) => `${size} · ${lines} · changed ${changed}`,
  syncedFrom: (origin: string) => ` · synced from ${origin}`,
  importing: (size: string) => `Importing ${size}…`,
  imported: (agent: string, files: string, messages: string, facts: string) =>
    `${agent}: ${files}, ${messages}, ${facts}.`,
  receiptFor: (agent: string) => `Receipt for ${agent}`,
  theReceiptFor: (agent: string) => ` the receipt for ${agent}`,
  usage: (from: string, to: string, texts: string, tokens: string, cost: string) =>
    `${from} to ${to}: ${texts} texts, ${tokens} tokens, ${cost}`,
  unpriced: (tokens: string) => `, and ${tokens} tokens of models without a price`,
  factSince: (category: string, since: string) => `${category}, since ${since}`,
  vectorRank: (rank: number, cosine: string) => `rank ${rank}, cosine ${cosine}`,
  keywordRank: (rank: number, score: string) => `rank ${rank}, BM25 ${score}`,
  evidence: (evidence: string, rankedAt: string | number) =>
    `Evidence ${evidence} times chance. Ranked ${rankedAt} before neighbours were joined.`,
  reranked: (score: string) => ` Reranked with ${score}.`,
  weights: (mode: string, rule: string, vector: string, keyword: string, floor: string | number) =>
    `${mode}: ${rule}. Weights: vector ${vector}, keyword ${keyword}. Floor: ${floor}.`,
  background: (chunks: string | number, mean: string, deviation: string) =>
    ` Of ${chunks} chunks, the cosine of two that have nothing to do with each other is ${mean} ± ${deviation}.`,
  savedQuestions: (count: number) => `Saved questions (${count})`,
  compareWith: (at: string) => `Compare the newest with ${at}`,
  gained: (better: number, worse: number, equal: number) =>
    `What each question gained or lost: ${better} better, ${worse} worse, ${equal} as before.`,
  remove: (question: string) => `Remove “${question}”`,
  searchedWith: (options: object) =>
    Object.entries(options)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ") || texts.evaluation.usual,
  tries: (state: string, number: number) => `${state}, try ${number}`,
  revoked: (at: string) => `revoked ${at}`,
  until: (end: string | undefined) => (end === undefined ? " until now: " : ` to ${end}: `),
  span: (from: string, to: string | undefined) => (to === undefined ? `${from} until now` : `${from} to ${to}`),
  version: (size: string, lines: string) => ` · ${size}, ${lines}`,
  written: (by: string) => `Written by ${by}.`,
  writtenAt: (at: string, by: string) => `Written ${at} by ${by}.`,
  replaced: (at: string, by: string) => `Replaced ${at} by ${by}.`,
  deleted: (at: string, by: string) => `Deleted ${at} by ${by}.`,
  versionOf: (at: string, path: string) => `${path} becomes what it said from ${at} on.`,
  happened: (kind: string, by: string) => `${kind}, by ${by}`,
  snapshotTaken: (at: string, by: string) => `Taken ${at} by ${by}`,
  snapshotHas: (files: string, facts: string, size: string) => `${files} (${size}), ${facts}`,
  snapshotExpires: (at: string) => ` · expires ${at}`,
  ofTotal: (what: string, count: string) => `${what}: ${count}`,
  factNumber: (id: string) => `fact ${id}`,
  andMore: (count: string) => `and ${count} more`,
  rollBackTo: (name: string) => `Roll back to ${name}`,
  rollBackChanges: (files: string, facts: string) => `${files} and ${facts} become what they were.`,
  rolledBack: (name: string, undo: string) =>
    `Files and facts are as they were in ${name}. Roll back to ${undo} to undo this.`,
  madeOf: (at: string | undefined) => (at === undefined ? "Made of" : `Made as of ${at} of`),
  copying: (branch: string) => `${branch} is being copied.`,
  branchReady: (origin: string) => `It has all that ${origin} remembered:`,
  alikeSince: (at: string) => `What either has done since they were alike, ${at}.`,
  mergeInto: (agent: string) => `Merge into ${agent}`,
  wouldMerge: (changes: string, agent: string) => `${changes} would be merged into ${agent}.`,
  merged: (changes: string, agent: string) => `${changes} merged into ${agent}.`,
  sharedWhat: (what: string, offered: string) => `${what} · offered ${offered}`,
  notTaken: ` · ${texts.sharing.notTaken}`,
  taken: (at: string) => ` · taken ${at}`,
  folders: (names: string) => `the folders ${names}`,
  message: (session: string, number: number | undefined) =>
    number === undefined ? session : `${session}, message ${number}`,
  changed: (name: string, by: string, now: string) => `${name}: ${by}, now ${now}`,
  jobStarted: (kind: string) => `Job ${kind} started`,
  used: (who: string, did: string, times: string | undefined, found: string) =>
    times === undefined ? `${who} ${did}, ${found}` : `${who} ${did} ${times} times, ${found}`,
  belowFloor: (score: string) => `below the floor, ${score}`,
  sameAs: (path: string) => `the same text as ${path}`,
};
