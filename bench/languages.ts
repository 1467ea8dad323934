// Measures how well notes in Japanese, Chinese, Korean and German are found through the whole
// service: by keyword, by the embedding model and by both, with the default settings. The notes and
// questions are in test/data/languages.
//
//   [RECOLLECT_PROVIDER=builtin] node bench/languages.ts

import { createLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config/config.ts";
import { openPglite } from "../src/db/pglite.ts";
import type { SearchOutput } from "../src/service/search/search-schemas.ts";
import { compose } from "../src/start/compose.ts";
import {
  meanQuality,
  QUESTION_KINDS,
  type QuestionKind,
  qualityOf,
  readLanguageSet,
} from "../test/support/language-sets.ts";

const LANGUAGES = ["ja", "zh", "ko", "de"];
const WEIGHTS = {
  keyword: { vectorWeight: 0, textWeight: 1 },
  vector: { vectorWeight: 1, textWeight: 0 },
  hybrid: { vectorWeight: 0.7, textWeight: 0.3 },
};

const database = await openPglite();
const runtime = await compose(readConfig(), { logger: createLogger("warn"), worker: true, keyless: true, database });
try {
  for (const language of LANGUAGES) await measure(language);
} finally {
  await runtime.close();
}

async function measure(language: string): Promise<void> {
  const agent = `/v1/agents/${language}`;
  await call("POST", "/v1/agents", { id: language });
  const { passages } = readLanguageSet(language);
  for (let from = 0; from < passages.length; from += 100) {
    const put = passages.slice(from, from + 100).map(({ id, title, text }) => ({
      path: `${id}.md`,
      content: title === undefined ? text : `# ${title}\n\n${text}`,
    }));
    await call("POST", `${agent}/files`, { put });
  }
  while ((await call<{ pendingEmbeddings: number }>("GET", `${agent}/status`)).pendingEmbeddings > 0)
    await new Promise((resolve) => setTimeout(resolve, 100));
  for (const [arms, hybrid] of Object.entries(WEIGHTS)) {
    await call("PATCH", agent, { settings: { query: { hybrid } } });
    console.log(`${language} ${arms}: ${await ask(language)}`);
  }
}

async function ask(language: string): Promise<string> {
  const answers: (ReturnType<typeof qualityOf> & { kind: QuestionKind })[] = [];
  for (const { kind, text, judged } of readLanguageSet(language).questions) {
    const body = { query: text, maxResults: 10 };
    const { results } = await call<SearchOutput>("POST", `/v1/agents/${language}/tools/memory_search`, body);
    answers.push({
      kind,
      ...qualityOf(
        results.map((hit) => hit.path.replace(/\.md$/, "")),
        judged,
      ),
    });
  }
  const kinds = QUESTION_KINDS.map((kind) => {
    const { ndcg10 } = meanQuality(answers.filter((answer) => answer.kind === kind));
    return `${kind} ${ndcg10.toFixed(2)}`;
  });
  const all = meanQuality(answers);
  return `nDCG@10 ${all.ndcg10.toFixed(3)} recall@5 ${all.recall5.toFixed(3)}; ${kinds.join(", ")}`;
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init =
    body === undefined
      ? { method }
      : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await runtime.app.request(path, init);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
