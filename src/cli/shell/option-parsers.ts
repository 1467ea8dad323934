import { type Command, InvalidArgumentError } from "commander";
import { DAY_MS } from "../../base/clock.ts";
import { isOriginName, MAX_ORIGIN_CHARS } from "../../service/core/origin-name.ts";

/**
 * Returns a parser of whole numbers within bounds. It accepts digits only, because `Number` would
 * read "" as port 0 and "0x10" as 16.
 */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new InvalidArgumentError(`It must be a whole number, ${range}.`);
    return value;
  };
}

const BYTES_OF = { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/** Parses a whole number, or a size such as `10GB` or `1.5 MiB`, and returns the number or the bytes. */
export function amount(text: string): number {
  const [, number, prefix = ""] = /^(\d+|\d+\.\d+(?= ?[kKMGT]))(?: ?([kKMGT]i?)?B)?$/.exec(text) ?? [];
  const unit = prefix === "K" ? "k" : prefix.replace("ki", "Ki");
  const value = Math.round(Number(number) * BYTES_OF[unit as keyof typeof BYTES_OF]);
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError("It must be a whole number, or a size such as 500MB or 10GiB.");
  return value;
}

export function decimal(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
  return value;
}

/** Parses a number from 0 to 1, such as a score. */
export function share(text: string): number {
  const value = decimal(text);
  if (value < 0 || value > 1) throw new InvalidArgumentError("It must be a number from 0 to 1.");
  return value;
}

/** Joins the words of a text that was typed without quotes. An empty text is wrong usage. */
export function joinedWords(words: readonly string[], command: Command): string {
  const text = words.join(" ").trim();
  if (text === "") command.error("error: the text must not be empty");
  return text;
}

export function httpUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  if (protocol !== "http:" && protocol !== "https:")
    throw new InvalidArgumentError("It must be a URL such as http://127.0.0.1:7420.");
  // fetch refuses user and password too, but with an error that does not say so.
  if (new URL(text).username !== "" || new URL(text).password !== "")
    throw new InvalidArgumentError("It must not contain a user or a password; put a key into a profile.");
  return text;
}

/** Parses the number of a version of a file. */
export function versionNumber(text: string): string {
  if (!/^[1-9]\d{0,18}$/.test(text))
    throw new InvalidArgumentError("It must be the number of a version, as recollect files history <path> shows it.");
  return text;
}

/**
 * Parses an agent's id. The server validates ids; the values refused here would change the path of
 * the request, because URLs resolve dots.
 */
export function agentId(text: string): string {
  if (["", ".", ".."].includes(text.trim())) throw new InvalidArgumentError("It must be the id of an agent.");
  return text;
}

/**
 * Returns a parser of a name that becomes a part of an address, which may not be empty.
 *
 * @param what the name that is needed, such as "the id of a job"
 */
export function named(what: string): (text: string) => string {
  return (text) => {
    if (text.trim() === "") throw new InvalidArgumentError(`It must be ${what}.`);
    return text;
  };
}

/**
 * Parses a folder of the memory and returns the prefix of its paths. Without normalisation, two
 * spellings of one folder would be two folders.
 */
export function memoryFolder(text: string): string {
  const segments = text.normalize("NFC").replace(/\/$/, "").split("/");
  if (segments.some((segment) => ["", ".", ".."].includes(segment) || /[\\\p{Cc}]/u.test(segment)))
    throw new InvalidArgumentError("It must be a folder of the memory, such as projects/lantern.");
  return `${segments.join("/")}/`;
}

/**
 * Parses the name of an origin. Without normalisation, two spellings of one name would be two
 * origins.
 */
export function originName(text: string): string {
  const name = text.normalize("NFC");
  if (!isOriginName(name))
    throw new InvalidArgumentError(`It must be printable text of at most ${MAX_ORIGIN_CHARS} characters.`);
  return name;
}

/** Parses the name of a user, with the same bounds as the API. */
export function userName(text: string): string {
  if (text.trim() === "" || text.length > 200 || /\p{Cc}/u.test(text))
    throw new InvalidArgumentError("It must be the name of a user: one line of 1 to 200 characters.");
  return text;
}

export function tenantName(text: string): string {
  if (text.trim() === "")
    throw new InvalidArgumentError("It must be the name or the id of a tenant; see: recollect tenants list");
  return text.trim();
}

/**
 * Parses a date (its first moment in UTC) or an instant, and returns an instant. `Date` alone would
 * read 31 February as a day in March, and an instant without a zone as this machine's local time.
 */
export function instant(text: string): string {
  const [, date = ""] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  const day = new Date(date);
  const at = new Date(text);
  if (Number.isNaN(at.getTime()) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date))
    throw new InvalidArgumentError("It must be a date such as 2027-01-31, or an instant such as 2027-01-31T18:00:00Z.");
  return at.toISOString();
}

/**
 * Parses a moment of the past: an instant, or a date, which stands for its last moment in UTC, as it
 * does in a model's `asOf`. Today stands for now.
 */
export function pastMoment(text: string): string {
  const at = instant(text);
  if (text.includes("T")) return at;
  const isToday = text === new Date().toISOString().slice(0, 10);
  return (isToday ? new Date() : new Date(Date.parse(at) + DAY_MS - 1)).toISOString();
}

/** Parses the name of a time zone. */
export function timeZone(text: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return text;
  } catch {
    throw new InvalidArgumentError("It must be the name of a time zone, such as Europe/Lisbon.");
  }
}

/** Parses a calendar day in the form of ISO 8601. */
export function utcDay(text: string): string {
  const day = new Date(text);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new InvalidArgumentError("It must be a day such as 2027-01-31.");
  return text;
}

/** Parses the name of a profile, or `embedded`. */
export function profileName(text: string): string {
  if (!/^[a-zA-Z0-9][\w.-]{0,63}$/.test(text))
    throw new InvalidArgumentError("It must be a name of letters, digits, dots, dashes and underscores.");
  return text;
}

/** Parses the name of a server's profile. */
export function serverProfileName(text: string): string {
  if (profileName(text) === "embedded")
    throw new InvalidArgumentError("This name stands for the database of this machine.");
  return text;
}
