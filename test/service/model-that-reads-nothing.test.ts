import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";
import type { SearchDebug } from "../../src/service/search/search-schemas.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/**
 * A model that gives every text an unrelated vector: the nearest neighbours are a matter of chance.
 */
class DeafEmbedder extends WordEmbedder {
  override async embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.asked.push(...texts);
    return texts.map((text) => {
      const bytes = createHash("shake256", { outputLength: this.dimensions }).update(text).digest();
      const values = Float32Array.from(bytes, (byte) => byte - 127.5);
      const length = Math.hypot(...values);
      return values.map((value) => value / length);
    });
  }
}

const THINGS = ["kettle", "ladder", "window", "engine", "garden", "tunnel", "mirror", "bucket", "anchor", "candle"];
const PLACES = ["cellar", "harbour", "attic", "workshop", "chapel", "station"];

/** Notes of two sentences that share no word. */
const NOTES = THINGS.flatMap((thing) =>
  PLACES.map((place) => ({
    path: `${thing}-${place}.md`,
    content: `Yesterday somebody carried our ${thing} away. It stands beside an old wall near the ${place} now.`,
  })),
);

interface Explained {
  results: { path: string }[];
  debug: SearchDebug;
}

describe("a model that tells nothing apart", () => {
  let app: TestApp;
  const embedder = new DeafEmbedder();
  beforeAll(async () => {
    app = await startTestApp({ embedder });
    await app.call("POST", "/v1/agents/main/files", { put: NOTES });
    await app.embedded();
    await app.rested();
  });
  afterAll(() => app.drop());

  test("has no vote: search is by keyword, and the status says so", async () => {
    const { body } = await app.call<{ vector: { unread: string[] } }>("GET", "/v1/agents/main/status");
    expect(body.vector.unread).toEqual(["Latin"]);
    for (const query of ["candle chapel", "is our mirror in the station", "harbour ladder"]) {
      const { results, debug } = (await app.search(query, { explain: true, minScore: 0 })) as unknown as Explained;
      expect(debug.fusion.background?.cosines?.sensitivity).toBe(0);
      expect(results[0]?.path).toBe(debug.arms.keyword[0]?.path);
    }
  });

  test("is asked once for what it is measured by, until there is twice as much", async () => {
    const before = embedder.asked.length;
    await app.put("one-more.md", "One more note. It is about something else.");
    await app.embedded();
    await app.rested();
    expect(embedder.asked.length - before).toBeLessThanOrEqual(2);
  });
});

const LETTERS = [..."абвгдежзик"];

/** Has the name of the built-in model, which learnt English. */
class EnglishEmbedder extends DeafEmbedder {
  override readonly provider: string = "builtin";
  override readonly model: string = "all-MiniLM-L6-v2";
}

test("a model that did not learn a script is asked about few texts of it", async () => {
  const embedder = new EnglishEmbedder();
  const app = await startTestApp({ embedder });
  try {
    const put = THINGS.flatMap((thing, i) =>
      PLACES.map((place, j) => ({
        path: `${thing}-${place}.md`,
        content: `Вчера кто-то унёс предмет ${LETTERS[i]}${LETTERS[j]}слово. Теперь стоит около стены место${LETTERS[i]}${LETTERS[j]}.`,
      })),
    );
    await app.call("POST", "/v1/agents/main/files", { put });
    await app.embedded();
    await app.rested();
    const { body } = await app.call<{ vector: { unread: string[] } }>("GET", "/v1/agents/main/status");
    expect(body.vector.unread).toEqual(["Cyrillic"]);
    // The notes themselves and 16 pairs of texts, none of them twice.
    expect(embedder.asked.length).toBe(put.length + 2 * 16);
  } finally {
    await app.drop();
  }
});

/** "The … is in the …": with the built-in model, which learnt no Arabic. */
const ARABIC = [
  "المفتاح الاحتياطي عند الجارة ليلى في الطابق الثاني.",
  "موعد طبيب الأسنان يوم الثلاثاء في الساعة العاشرة.",
  "كلمة سر شبكة الضيوف مكتوبة خلف الموجه.",
  "اشترينا الغسالة الجديدة في شهر مارس وضمانها سنتان.",
  "قطار العائلة إلى طنجة ينطلق من الرصيف الرابع.",
  "وصفة الحريرة تحتاج إلى العدس والحمص والكزبرة.",
  "اجتماع الآباء في المدرسة تأجل إلى الأسبوع المقبل.",
  "رقم بوليصة التأمين محفوظ في الخزانة الزرقاء.",
  "سيارة الأجرة إلى المطار تكلف ثلاثمائة درهم.",
  "ندفع فاتورة الكهرباء قبل اليوم الخامس من كل شهر.",
];

test("notes in a script that the built-in model does not read are found, with nothing configured", async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), "recollect-models-"));
  const embedder = new BuiltinEmbedder({ cacheDir, onWarning: () => undefined });
  const app = await startTestApp({ embedder });
  try {
    const put = ARABIC.map((content, index) => ({ path: `${index}.md`, content }));
    await app.call("POST", "/v1/agents/main/files", { put });
    await app.embedded();
    for (const [query, path] of [
      ["أين المفتاح الاحتياطي؟", "0.md"],
      ["متى موعد طبيب الأسنان", "1.md"],
      ["ماذا تحتاج وصفة الحريرة", "5.md"],
      ["كم تكلف سيارة الأجرة", "8.md"],
    ] as const) {
      const { results } = await app.search(query);
      expect(results[0]?.path, query).toBe(path);
    }
  } finally {
    await app.drop();
    await embedder.close();
    rmSync(cacheDir, { recursive: true, force: true });
  }
});
