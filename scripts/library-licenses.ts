import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the package that a specifier names, such as `drizzle-orm` for `drizzle-orm/pg-core`. */
export function packageNameOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/**
 * Writes the names, versions and licences of the modules' packages into one file.
 *
 * @param modules absolute paths; modules outside `node_modules` are left out
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
