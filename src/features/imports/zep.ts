import { factsOf, wordsOf } from "./fact-of.ts";
import { ENDS_TOO_EARLY, type Fields, textOf, validity } from "./fields.ts";
import { createSessionGroups, roleOfName, type SessionGroups } from "./group-sessions.ts";
import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readObjects } from "./read-objects.ts";
import { isJsonExport } from "./source-names.ts";

/** The names that lists of edges, nodes and episodes have in answers of Zep and Graphiti. */
const LISTS = ["nodes", "entities", "edges", "facts", "relations", "episodes", "episodic_nodes"];
const ACTOR = /^([^:\n]{1,100}): ?/;

/**
 * A graph of Zep or Graphiti as JSON: lists of edges, nodes and episodes as their APIs return them, in
 * one file or several, as lines too. Each element is recognised by its fields. An edge becomes a
 * fact with its validity and the name of its source node as subject, a node's summary becomes a fact
 * about the node, and episodes become conversations.
 */
export const zep: ImportKind = {
  has: "a .json or .jsonl file with edges, nodes or episodes",
  isZipped: true,
  reads: isJsonExport,
  read: readGraph,
};

async function* readGraph(file: SourceFile): AsyncGenerator<Item> {
  /** The names of the nodes, by their ids. */
  const names = new Map<string, string>();
  const edges: [Fields, string][] = [];
  const groups = createSessionGroups(file.path);
  for await (const element of readObjects(file, LISTS)) {
    if ("bad" in element) {
      yield element;
      continue;
    }
    const { value, place } = element;
    // An edge may come before the nodes that it names.
    if (textOf(value.fact) !== undefined) edges.push([value, place]);
    else if (textOf(value.content) !== undefined) yield* readEpisode(value, groups, place);
    else yield* readNode(value, names, place);
  }
  for (const [edge, place] of edges) yield* readEdge(edge, names, place);
  yield* groups.conversations();
}

function* readNode(node: Fields, names: Map<string, string>, place: string): Generator<Item> {
  const [name, summary] = [textOf(node.name), textOf(node.summary)];
  if (name === undefined) {
    yield { bad: "neither an edge, a node nor an episode", place };
    return;
  }
  if (typeof node.uuid === "string") names.set(node.uuid, name);
  if (summary === undefined) {
    yield { left: "nodes without a summary" };
    return;
  }
  const times = validity([node.created_at], undefined);
  yield* factsOf(`${name}: ${summary}`, place, {
    category: "entity",
    subject: name,
    tags: groupOf(node),
    ...times,
  });
}

function* readEdge(edge: Fields, names: Map<string, string>, place: string): Generator<Item> {
  const times = validity([edge.valid_at, edge.created_at], edge.invalid_at ?? edge.expired_at);
  if (times === undefined) {
    yield { bad: ENDS_TOO_EARLY, place };
    return;
  }
  const subject = textOf(edge.source_node_name) ?? names.get(String(edge.source_node_uuid));
  const relation = wordsOf(textOf(edge.name) ?? "").toLowerCase();
  yield* factsOf(String(edge.fact), place, {
    ...(subject !== undefined && { subject }),
    tags: [relation, ...groupOf(edge)],
    ...times,
  });
}

/**
 * Reads an episode as a message of its thread or group. Graphiti stores a message as
 * `actor: words`; Zep has the speaker beside the words.
 */
function* readEpisode(episode: Fields, groups: SessionGroups, place: string): Generator<Item> {
  if (episode.source === "json") {
    yield { left: "episodes of JSON" };
    return;
  }
  const text = String(episode.content);
  const actor = episode.source === "message" ? ACTOR.exec(text) : null;
  const name = textOf(episode.role) ?? actor?.[1];
  const role = textOf(episode.role_type) ?? (episode.source === "message" ? roleOfName(name) : "tool");
  const session = textOf(episode.thread_id) ?? textOf(episode.session_id) ?? groupOf(episode)[0] ?? "episodes";
  const fields = {
    role: role === "norole" ? "tool" : role,
    ...(name !== undefined && roleOfName(name) === "user" && name.toLowerCase() !== "user" && { name }),
    text: actor ? text.slice(actor[0].length) : text,
    at: episode.valid_at ?? episode.created_at,
    id: episode.uuid,
  };
  yield* groups.add(`zep:${session}`, fields, place);
}

function groupOf({ group_id, graph_id }: Fields): string[] {
  const group = textOf(group_id) ?? textOf(graph_id);
  return group === undefined || group === "_" ? [] : [group];
}
