import { AppError } from "./errors.ts";

/**
 * Loads an optional package at its first use, so that an unused package costs neither disk nor
 * memory.
 *
 * @param name the name as `npm install` takes it, with a version if only that version works
 * @param user the part that needs the package, as the beginning of a sentence
 * @throws AppError `config_invalid` with the command that helps
 */
export async function loadOptional<T>(name: string, user: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const missing = (cause as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND";
    const [bare] = name.split(/(?<=.)@/);
    throw new AppError(
      "config_invalid",
      missing
        ? `${user} needs the package ${bare}: run \`npm install ${name}\` beside Recollect.`
        : `The package ${bare} is installed but does not load; install it anew: \`npm install ${name}\`.`,
      { cause },
    );
  }
}
