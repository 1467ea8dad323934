import { type Language, language } from "./language.ts";
import type { Words } from "./words.ts";

/** Only the texts of the chosen language are loaded. */
const LOADED: Record<Language, () => Promise<Words>> = {
  en: () => import("./en.ts").then(({ en }) => en),
  de: () => import("./de.ts").then(({ de }) => de),
  zh: () => import("./zh.ts").then(({ zh }) => zh),
};

/** All texts of the console in the chosen language. */
export const texts: Words = await LOADED[language]();
