import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HEADER = "# Made from `_async` by `npm run python`: change it there.\n";
/**
 * The words of asyncio and their blocking counterparts. The order matters: the general patterns
 * come last.
 */
const WORDS: readonly [RegExp, string][] = [
  [/AsyncGenerator\[(.+?), None\]/g, "Generator[$1, None, None]"],
  [/\bStopAsyncIteration\b/g, "StopIteration"],
  [/\b__a(enter|exit|iter|next)__/g, "__$1__"],
  [/\banext\(/g, "next("],
  [/\.a(close|iter_raw)\(/g, ".$1("],
  [/\bhandle_async_request\b/g, "handle_request"],
  [/\basync (?=(def|with|for)\b)/g, ""],
  [/\bawait /g, ""],
  [/\bAsync(?=[A-Z])/g, ""],
];

/**
 * Returns the modules of the blocking Python client, by name. They are made from the modules of the
 * asynchronous client.
 */
export function blockingModules(folder = "clients/python/src/recollect/_async"): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".py"));
  return new Map(names.sort().map((name) => [name, HEADER + toBlocking(readFileSync(join(folder, name), "utf8"))]));
}

function toBlocking(module: string): string {
  return WORDS.reduce((text, [word, other]) => text.replace(word, other), module);
}
