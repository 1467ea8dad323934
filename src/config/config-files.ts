import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import JSON5 from "json5";
import { LineCounter, parseDocument } from "yaml";
import { AppError } from "../base/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * One of the operator's files, parsed, with `${VAR}` filled in. settings/config-file.ts interprets
 * it.
 */
export interface RawConfigFile {
  readonly origin: "user" | "workspace";
  readonly path: string;
  readonly value: unknown;
  /** The references to variables that are not set; the text of each reference is left unchanged. */
  readonly missing: readonly { at: string; name: string }[];
}

const MAX_BYTES = 1_000_000;
const MAX_ALIASES = 100;
const MAX_DEPTH = 32;

/**
 * Reads `~/.recollect/config.yaml` and `./recollect.yaml`, weakest first. A missing file is left
 * out. A file may be YAML, JSON, or JSON5 with its comments, which OpenClaw writes.
 *
 * @throws AppError `config_invalid` with file, line and column
 */
export function readConfigFiles(places: { home: string | undefined; cwd: string; env: Environment }): RawConfigFile[] {
  const candidates = [
    ...(places.home === undefined
      ? []
      : [{ origin: "user" as const, path: join(places.home, ".recollect", "config.yaml") }]),
    { origin: "workspace" as const, path: join(places.cwd, "recollect.yaml") },
  ];
  return candidates.flatMap(({ origin, path }) => {
    const text = readText(path);
    if (text === undefined) return [];
    const missing: RawConfigFile["missing"][number][] = [];
    const value = substitute(parse(text, path), { env: places.env, file: path, missing }, "", 0);
    return [{ origin, path, value, missing }];
  });
}

function readText(path: string): string | undefined {
  try {
    if (statSync(path).size > MAX_BYTES)
      throw new AppError("config_invalid", `${path} is larger than ${MAX_BYTES} bytes, the most for a config file.`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new AppError("config_invalid", `${path} cannot be read; check its permissions.`, { cause: error });
  }
}

/**
 * Parses a file that begins with a brace as JSON5, and else as YAML. The YAML parser would take a
 * comment of JSON5 for a key. A file of YAML may begin with a brace too, so both are tried.
 */
function parse(text: string, path: string): unknown {
  if (!/^[\s\ufeff]*(?:\{|\/\/|\/\*)/.test(text)) return parseYaml(text, path);
  try {
    return JSON5.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    try {
      return parseYaml(text, path);
    } catch {
      throw json5Problem(error, path);
    }
  }
}

function json5Problem(error: unknown, path: string): AppError {
  const { message, lineNumber, columnNumber } = error as {
    message: string;
    lineNumber?: number;
    columnNumber?: number;
  };
  const what = message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, "");
  return new AppError("config_invalid", `${path}, line ${lineNumber}, column ${columnNumber}: ${what}`);
}

function parseYaml(text: string, path: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = document.errors;
  if (problem) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new AppError("config_invalid", `${path}, line ${line}, column ${col}: ${problem.message}`);
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    throw new AppError(
      "config_invalid",
      `${path} refers to an anchor that does not exist, or repeats its anchors too often.`,
      { cause },
    );
  }
}

interface Substitution {
  env: Environment;
  file: string;
  missing: { at: string; name: string }[];
}

/**
 * Fills in `${VAR}` from the environment, as OpenClaw does; `$${VAR}` yields the text `${VAR}`
 * itself.
 */
function substitute(value: unknown, context: Substitution, at: string, depth: number): unknown {
  const { env, file, missing } = context;
  if (depth > MAX_DEPTH) throw new AppError("config_invalid", `${file} is nested too deeply at ${at}.`);
  if (typeof value === "string") {
    return value.replace(/\$?\$\{([A-Z_][A-Z0-9_]*)\}/g, (reference, name: string) => {
      if (reference.startsWith("$$")) return reference.slice(1);
      const found = env[name];
      if (found !== undefined && found !== "") return found;
      missing.push({ at, name });
      return reference;
    });
  }
  if (Array.isArray(value))
    return value.map((child, index) => substitute(child, context, `${at}[${index}]`, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      substitute(child, context, at === "" ? key : `${at}.${key}`, depth + 1),
    ]),
  );
}
