import { AppError } from "../../base/errors.ts";
import { printableLine } from "../shell/printable.ts";
import type { ImportKind } from "./import-kind.ts";
import { readTranscript } from "./transcripts.ts";

const SESSION = /(^|\/)sessions\/[^/]+\.jsonl$/;
const AGENT_SESSION = /(?:^|\/)agents\/([^/]+)\/sessions\//;
const MEMORY = /(^|\/)(MEMORY\.md|memory\.md|memory\/.+\.md)$/;

/** An OpenClaw workspace and the sessions below it. */
export const openclaw: ImportKind = {
  has: "MEMORY.md, memory/*.md or sessions/*.jsonl",
  isZipped: false,
  reads: (path) => SESSION.test(path),
  read: readTranscript,
  keeps: (path) => MEMORY.test(path),
  check: (paths) => {
    const agents = [
      ...new Set(paths.flatMap((path) => (SESSION.test(path) ? AGENT_SESSION.exec(path)?.[1] : []) ?? [])),
    ];
    if (agents.length > 1)
      throw new AppError(
        "invalid_request",
        `The sessions are those of several agents (${printableLine(agents.join(", "))}). Import the folder of each, such as agents/${printableLine(agents[0] ?? "")}, with its own --agent.`,
      );
  },
};
