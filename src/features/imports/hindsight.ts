import { factsOf } from "./fact-of.ts";
import { type Fields, objectsOf, textOf, textsOf, validity } from "./fields.ts";
import type { ImportKind, Item, SourceFile } from "./import-kind.ts";
import { noteFile } from "./note-file.ts";
import { readObjects } from "./read-objects.ts";
import { isExportFile, safeSegment } from "./source-names.ts";

type Reader = (value: Fields, place: string) => Generator<Item>;

/** The files of an archive that are read, and their readers. */
const READERS: readonly [RegExp, Reader][] = [
  [/(^|\/)documents\/[^/]+\.json$/i, readDocument],
  [/(^|\/)observations\.json$/i, readObservation],
  [/(^|\/)mental_models\.json$/i, readMentalModel],
  [/(^|\/)directives\.json$/i, readDirective],
];

/**
 * The export of a bank or of the documents of Hindsight: a ZIP archive, or its folder. The texts of
 * documents and the mental models become files, extracted facts and observations become facts, and
 * directives become instructions.
 */
export const hindsight: ImportKind = {
  has: "manifest.json with documents/*.json",
  isZipped: true,
  reads: (path) => isExportFile(path) && readerOf(path) !== undefined,
  read: readArchive,
};

function readerOf(path: string): Reader | undefined {
  return READERS.find(([pattern]) => pattern.test(path))?.[1];
}

async function* readArchive(file: SourceFile): AsyncGenerator<Item> {
  const read = readerOf(file.path) ?? readDocument;
  for await (const element of readObjects(file)) {
    if ("bad" in element) yield element;
    else yield* read(element.value, element.place);
  }
}

function* readDocument(document: Fields, place: string): Generator<Item> {
  const id = textOf(document.id);
  if (id === undefined) {
    yield { bad: "a document without an id", place };
    return;
  }
  const text = textOf(document.original_text);
  if (text !== undefined) yield* noteFile(`hindsight/${safeSegment(id)}.md`, text, document.created_at);
  for (const [index, fact] of objectsOf(document.facts).entries())
    yield* readFact(fact, textsOf(document.tags), `${place} facts[${index}]`);
}

/**
 * Reads a fact. `occurred_end` is not read as the end of its validity: it is the end of an event,
 * and that the event took place stays true.
 */
function* readFact(fact: Fields, above: readonly string[], place: string): Generator<Item> {
  const text = textOf(fact.text);
  if (text === undefined) {
    yield { bad: "a fact without a text", place };
    return;
  }
  yield* factsOf(text, place, {
    tags: [...textsOf(fact.tags), ...above, ...textsOf(fact.entities)],
    ...validity([fact.occurred_start, fact.mentioned_at, fact.event_date, fact.created_at], undefined),
  });
}

function* readObservation(observation: Fields, place: string): Generator<Item> {
  yield* readFact(observation, ["observation"], place);
}

function* readMentalModel(model: Fields, place: string): Generator<Item> {
  const name = textOf(model.name) ?? textOf(model.id);
  const text = textOf(model.content) ?? textOf(model.description);
  if (name === undefined) yield { bad: "a mental model without a name", place };
  else if (text === undefined) yield { left: "mental models without text" };
  else yield* noteFile(`hindsight/mental-models/${safeSegment(name)}.md`, `# ${name}\n\n${text}`, model.updated_at);
}

function* readDirective({ content, is_active, created_at, tags }: Fields, place: string): Generator<Item> {
  const text = textOf(content);
  if (text === undefined) yield { bad: "a directive without a text", place };
  else if (is_active === false) yield { left: "directives that are switched off" };
  else
    yield* factsOf(text, place, {
      category: "instruction",
      tags: textsOf(tags),
      ...validity([created_at], undefined),
    });
}
