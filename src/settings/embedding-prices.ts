import { isObject } from "../base/objects.ts";
import { invalidSettings, join } from "./parse-strictly.ts";

/**
 * The price of a million tokens in billionths of a US dollar: whole numbers, since floats do not
 * add up exactly.
 */
interface Price {
  readonly direct: number;
  /** The price by a provider's batch API. */
  readonly batch: number;
}

/** Prices by provider and model. */
export type Prices = Readonly<Record<string, Readonly<Record<string, Price>>>>;

const NANO = 1_000_000_000;
/**
 * The highest price of a million tokens, in US dollars. A higher price is a mistake, and sums of
 * such prices might no longer be whole numbers.
 */
const MAX_USD = 1000;
const MAX_ENTRIES = 1000;

const usd = (direct: number, batch = direct): Price => ({ direct: toNano(direct), batch: toNano(batch) });

/**
 * List prices in November 2026: developers.openai.com (model pages; batches at half the price),
 * ai.google.dev ("Gemini Developer API pricing"; batches at half the price), Voyage's and Mistral's
 * price lists. Operators override them.
 */
const LIST_PRICES: Prices = {
  openai: {
    "text-embedding-3-small": usd(0.02, 0.01),
    "text-embedding-3-large": usd(0.13, 0.065),
    "text-embedding-ada-002": usd(0.1, 0.05),
  },
  gemini: { "gemini-embedding-001": usd(0.15, 0.075), "gemini-embedding-2": usd(0.2, 0.1) },
  voyage: {
    "voyage-4-large": usd(0.12),
    "voyage-4": usd(0.06),
    "voyage-4-lite": usd(0.02),
    "voyage-3-large": usd(0.18),
    "voyage-3.5": usd(0.06),
    "voyage-3.5-lite": usd(0.02),
    "voyage-code-3": usd(0.18),
    "voyage-finance-2": usd(0.12),
    "voyage-law-2": usd(0.12),
  },
  mistral: { "mistral-embed": usd(0.1) },
};

/** Providers whose models run on the operator's own machines. */
const FREE = new Set(["builtin", "local", "ollama"]);

/**
 * Returns the cost of tokens in billionths of a US dollar, rounded; undefined when the price is not
 * known.
 *
 * @param own the operator's prices, which take precedence over the list prices
 */
export function costOf(
  own: Prices,
  used: { provider: string; model: string; tokens: number; batch: boolean },
): number | undefined {
  const model = used.model.replace(/^models\//, "");
  const price = lookUp(own, used.provider, model) ?? lookUp(LIST_PRICES, used.provider, model);
  if (!price) return FREE.has(used.provider) ? 0 : undefined;
  const perMillion = BigInt(used.batch ? price.batch : price.direct);
  return Number((BigInt(used.tokens) * perMillion + 500_000n) / 1_000_000n);
}

function lookUp(prices: Prices, provider: string, model: string): Price | undefined {
  const models = Object.hasOwn(prices, provider) ? prices[provider] : undefined;
  return models && Object.hasOwn(models, model) ? models[model] : undefined;
}

/**
 * Reads the operator's prices in US dollars per million tokens: `{ provider: { model: usd } }`, or
 * `{ direct, batch }` instead of one price. Without `batch`, batches cost the direct price.
 *
 * @throws AppError `invalid_settings`, naming the path
 */
export function parsePrices(value: unknown, path: string): Prices {
  const models = entries(value, path).map(([provider, byModel]) => {
    const at = join(path, [provider]);
    const prices = entries(byModel, at).map(([model, price]) => [model, parsePrice(price, join(at, [model]))] as const);
    return [provider, Object.fromEntries(prices)] as const;
  });
  return Object.fromEntries(models);
}

function parsePrice(value: unknown, path: string): Price {
  if (!isObject(value)) return usd(parseUsd(value, path));
  const unknown = Object.keys(value).find((key) => key !== "direct" && key !== "batch");
  if (unknown !== undefined) throw invalidSettings([`${join(path, [unknown])}: unknown key`]);
  const direct = parseUsd(value.direct, `${path}.direct`);
  return usd(direct, value.batch === undefined ? direct : parseUsd(value.batch, `${path}.batch`));
}

function parseUsd(value: unknown, path: string): number {
  if (typeof value === "number" && value >= 0 && value <= MAX_USD) return value;
  throw invalidSettings([`${path}: must be US dollars per million tokens, from 0 to ${MAX_USD}`]);
}

function entries(value: unknown, path: string): [string, unknown][] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) throw invalidSettings([`${path}: must be an object`]);
  const found = Object.entries(value);
  if (found.length > MAX_ENTRIES) throw invalidSettings([`${path}: has more than ${MAX_ENTRIES} entries`]);
  return found;
}

function toNano(dollars: number): number {
  return Math.round(dollars * NANO);
}
