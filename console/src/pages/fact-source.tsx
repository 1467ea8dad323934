import { Link } from "@tanstack/react-router";
import type { Fact } from "recollect/client";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";

/** Shows the source of a fact, as a link if the source can be opened. */
export function FactSource({ agent, source }: { agent: string; source: Fact["source"] }) {
  if (source.kind === "message") {
    const { session, message } = source;
    const search = message === undefined ? { session } : { session, after: String(message - 1) };
    return (
      <Link to="/agents/$agent/sessions" params={{ agent }} search={search as never}>
        {sentences.message(session, message)}
      </Link>
    );
  }
  if (source.kind === "file") {
    const { path, startLine, endLine } = source;
    const search = startLine === undefined ? { path } : { path, line: String(startLine) };
    return (
      <Link to="/agents/$agent/files" params={{ agent }} search={search as never}>
        {startLine === undefined || endLine === undefined ? path : sentences.lines(path, startLine, endLine)}
      </Link>
    );
  }
  return source.note ?? texts.facts.fromCall;
}
