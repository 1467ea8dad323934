import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** The place in a statement where the code inserts a text. */
const HOLE = "…";

/**
 * SQL constructs that Citus refuses in statements that run as an agent, each with its error and a
 * statement that failed with it. CI has no cluster, and one such construct once broke every write
 * there. AGENTS.md has the list for people, with the replacements.
 */
const REFUSED: { what: string; error: string; pattern: RegExp; example: string; onlyIn?: string }[] = [
  {
    what: "a subquery in an INSERT of one row",
    error: "0A000 subqueries are not supported within INSERT queries",
    // Two parentheses before a hole are a subquery that the code composes.
    pattern: /INSERT\s+INTO[^;]*?\bVALUES\s*\([^;]*\(\s*(?:SELECT\b|\(\s*…)/i,
    example: "INSERT INTO s.receipts (id, hashes) VALUES ($1, (SELECT array_agg(path) FROM s.files))",
  },
  {
    what: "a subquery in RETURNING",
    error: "0A000 subqueries are not supported within RETURNING",
    pattern: /\bRETURNING\b[^;)]*\(\s*SELECT\b/i,
    example: "UPDATE s.files SET path = $1 RETURNING (SELECT count(*) FROM s.files)",
  },
  {
    what: "CASE with a value in an INSERT … SELECT",
    error: "the value reaches the worker as WHEN NULL",
    pattern: /INSERT\s+INTO[^;]*\bSELECT\b[^;]*\bCASE\s+(?!WHEN\b)/i,
    example: "INSERT INTO s.facts (kind) SELECT CASE x.kind WHEN 'a' THEN 1 ELSE 2 END FROM s.facts x",
  },
  {
    what: "generate_series in an INSERT … SELECT",
    error: "42601 AND ( IS NOT NULL)",
    pattern: /INSERT\s+INTO[^;]*\bSELECT\b[^;]*\bgenerate_series\s*\(/i,
    example: "INSERT INTO s.windows (n) SELECT n FROM s.sessions, generate_series(1, $1) AS n",
  },
  {
    what: "TABLESAMPLE with a parameter",
    error: "XX000",
    pattern: /\bTABLESAMPLE\s+\w+\s*\(\s*\$/i,
    example: "SELECT id FROM s.chunks_1 TABLESAMPLE SYSTEM ($1)",
  },
  {
    what: "a vector that is inserted without a cast to the column's type",
    error: "XX000 unexpected null value in cached tuple … proargdefaults",
    pattern:
      /INSERT\s+INTO\s+\S*vectors_[^;]*\bSELECT\b(?=[^;]*::vector\[\])(?:(?!\bFROM\b)[^;])*\bembedding\b(?!\s*::)/i,
    example:
      "INSERT INTO s.vectors_1 (chunk_id, embedding) SELECT i.id, e.embedding FROM unnest($1::vector[]) AS e (embedding)",
  },
  {
    what: "a lock that reaches the workers",
    error: "a distributed deadlock",
    pattern: /\bLOCK\s+TABLE\b/i,
    example: "LOCK TABLE s.files IN SHARE MODE",
    onlyIn: "src/db/citus/ddl.ts",
  },
  {
    what: "a cursor",
    error: "0A000",
    pattern: /\bDECLARE\s+\S+\s+(?:NO SCROLL\s+)?CURSOR\b/i,
    example: "DECLARE c CURSOR FOR SELECT id FROM s.files",
  },
  { what: "MERGE", error: "0A000", pattern: /\bMERGE\s+INTO\b/i, example: "MERGE INTO s.files USING s.x ON true" },
];

/**
 * Matches a string, or a template. The holes of a template may contain templates without further
 * holes.
 */
const TEXT = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\})*`/g;
const INNER = /\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}/g;

/** Returns the SQL texts of a program, with holes where the code inserts texts. */
function sqlIn(file: string): string[] {
  const texts = readFileSync(file, "utf8").match(TEXT) ?? [];
  return texts
    .map((text) => text.slice(1, -1).replace(INNER, HOLE))
    .filter((text) => /\b(SELECT|INSERT|UPDATE|DELETE|LOCK|MERGE|DECLARE|RETURNING)\b/.test(text));
}

const files = readdirSync("src/db", { recursive: true, encoding: "utf8" })
  .map((name) => `src/db/${name.replaceAll("\\", "/")}`)
  .filter((file) => file.endsWith(".ts") && !/^src\/db\/(control|migrate|pglite)/.test(file))
  // Most files of src/db/control do not run as an agent; this one reads an agent's files.
  .concat("src/db/control/erasure-receipts.ts");
const statements = files.flatMap((file) => sqlIn(file).map((sql) => ({ file, sql })));

/** The first migration that a cluster runs. Agents of earlier versions cannot be migrated there. */
const FIRST_ON_CLUSTERS = "0009";

describe("SQL that runs as an agent", () => {
  test("is found", () => {
    expect(statements.length).toBeGreaterThan(200);
  });

  test.each(REFUSED)("has nowhere $what ($error)", ({ pattern, example, onlyIn }) => {
    expect(pattern.test(example)).toBe(true);
    expect(statements.filter(({ file, sql }) => file !== onlyIn && pattern.test(sql))).toEqual([]);
  });

  const migrations = readdirSync("migrations")
    .filter((name) => name.endsWith(".sql") && name >= FIRST_ON_CLUSTERS)
    .map((name) => ({ name, sql: readFileSync(`migrations/${name}`, "utf8") }));

  test("migrations add no column with a constraint (0A000 cannot execute ADD COLUMN command with … CHECK constraints)", () => {
    const constrained = /\bADD\s+COLUMN\b[^;,]*\b(?:CHECK|REFERENCES|UNIQUE|PRIMARY\s+KEY|CONSTRAINT)\b/i;
    expect(constrained.test("ALTER TABLE s.messages ADD COLUMN IF NOT EXISTS kind text CHECK (kind IN ('a'))")).toBe(
      true,
    );
    expect(migrations.filter(({ sql }) => constrained.test(sql)).map(({ name }) => name)).toEqual([]);
  });

  test("migrations make no table and no trigger in a DO block, which would be local to the coordinator", () => {
    const made = /DO \$\$(?:(?!\$\$)[\s\S])*\bCREATE\s+(?:TABLE|TRIGGER)\b/i;
    expect(made.test("DO $$ BEGIN CREATE TABLE s.x (); END $$")).toBe(true);
    expect(migrations.filter(({ sql }) => made.test(sql)).map(({ name }) => name)).toEqual([]);
  });
});
