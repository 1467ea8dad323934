/**
 * What is chosen between, with the choices: "I prefer spaces" takes the place of "I prefer tabs over spaces". Words of all
 * languages stand together. A choice that is missing here is a topic of its own.
 */
const TOPICS: Readonly<Record<string, string>> = {
  indentation:
    "tabs, tab, spaces, tabulatoren, leerzeichen, tabulations, espaces, tabuladores, espacios, タブ, スペース, 制表符, 空格",
  theme:
    "dark mode, light mode, dark theme, light theme, dunkelmodus, dunkles design, helles design, mode sombre, mode clair, modo oscuro, modo claro, ダークモード, ライトモード, 深色模式, 浅色模式",
  "hot-drink": "tea, coffee, tee, kaffee, thé, café, té, お茶, 紅茶, コーヒー, 茶, 咖啡",
  editor: "vim, neovim, emacs, vscode, vs code, helix, zed, nano, sublime, intellij",
  "package-manager": "npm, pnpm, yarn, bun, pip, poetry, uv",
  units: "metric, metric units, imperial, imperial units, metrische einheiten, unités métriques, unidades métricas",
  clock: "24-hour clock, 12-hour clock, 24h, 12h, 24-stunden-format, 12-stunden-format",
  "answer-length":
    "short answers, long answers, brief answers, detailed answers, concise answers, short replies, detailed replies, concise replies, kurze antworten, lange antworten, ausführliche antworten, knappe antworten, réponses courtes, réponses longues, réponses détaillées, respuestas cortas, respuestas largas, respuestas detalladas, 短い回答, 詳しい回答, 简短的回答, 详细的回答",
  "answer-form": "bullet points, bullets, prose, tables, stichpunkte, fließtext, listes à puces, viñetas, 箇条書き",
  "quote-style":
    "single quotes, double quotes, einfache anführungszeichen, guillemets simples, comillas simples, comillas dobles",
  address: "tutoiement, vouvoiement, tuteo, du-form, sie-form, duzen, siezen, 敬語, タメ口",
  diet: "vegetarian, vegan, meat, vegetarisch, vegetarier, végétarien, vegetariano, vegano",
  channel: "email, e-mail, phone, chat, slack, mail, telefon, courriel, correo, teléfono, メール, 電話, 邮件, 电话",
  "merge-style": "rebase, merge, squash",
};

const MAX_CHARS = 40;

const TOPIC_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(TOPICS).flatMap(([topic, choices]) => choices.split(", ").map((choice) => [choice, topic] as const)),
);

/** The topic that a choice belongs to, in lower case and without what stands around it; undefined: none is known. */
export function topicOf(choice: string): string | undefined {
  const words = choice.replace(/^(?:the|a|an|my|using|to use|der|die|das|le|la|les|l'|el|los|las) ?/u, "").trim();
  return words.length > MAX_CHARS ? undefined : TOPIC_OF.get(words);
}
