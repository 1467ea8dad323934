import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The package that a specifier names: `drizzle-orm` of `drizzle-orm/pg-core`. */
export function packageNameOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/**
 * Writes name, version and licence of the packages that modules come from into one file.
 *
 * @param modules absolute paths; those outside of `node_modules` are left out
 * @throws Error for a package without a licence
 */
export function writeLicenses(modules: readonly string[], file: string): void {
  const folders = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/"))?.[0] ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      [key in "name" | "version" | "license"]?: string;
    };
    const text = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (text === undefined && license === undefined) throw new Error(`${name} has no licence.`);
    return `${name} ${version} (${license})\n\n${text ? readFileSync(join(folder, text), "utf8").trim() : ""}`;
  });
  writeFileSync(file, `${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
}
