/** The languages of the console, by their tags, each with its own name for itself. */
export const LANGUAGES = { en: "English", de: "Deutsch", zh: "中文" } as const;

export type Language = keyof typeof LANGUAGES;

const CHOICE = "recollect.language";

/**
 * The browser's locales that it can format by. A browser may state the locale of its system, such as
 * `en-US@posix`, which `Intl` refuses with an error.
 */
const locales = navigator.languages.filter(isFormattable);

function isFormattable(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** Returns the language that the user has chosen, or else the browser's. */
function chosenLanguage(): Language {
  const wanted = [localStorage.getItem(CHOICE) ?? "", ...locales];
  for (const tag of wanted) {
    const found = tag.split("-")[0] ?? "";
    if (Object.hasOwn(LANGUAGES, found)) return found as Language;
  }
  return "en";
}

export const language: Language = chosenLanguage();

/** The browser's locale if it is of the language, because it says how dates and numbers are written. */
export const locale: string = locales.find((tag) => tag.split("-")[0] === language) ?? language;

/** Chooses a language for this browser. The texts are loaded with the page, so it is loaded anew. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(CHOICE, next);
  location.reload();
}
