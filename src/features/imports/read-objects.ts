import { isObject } from "../../base/objects.ts";
import { readElements } from "../../cli/shell/json-elements.ts";
import type { Fields } from "./fields.ts";
import type { Bad, SourceFile } from "./import-kind.ts";
import { hasJsonLines, placeOf } from "./source-names.ts";

/** An element of a JSON file with its list and place, or the reason why it cannot be read. */
type PlacedElement = { list: string; place: string } & ({ value: unknown } | { bad: string });

/**
 * Yields the elements of a JSON file. A file of JSON lines has one element on each line.
 *
 * @param lists as `readElements` takes them
 */
export async function* readPlaced(file: SourceFile, lists: readonly string[] = []): AsyncGenerator<PlacedElement> {
  for await (const element of readElements(await file.open(), hasJsonLines(file.path) ? [] : lists)) {
    const place = placeOf(file, element);
    const { list } = element;
    yield "bad" in element ? { list, place, bad: element.bad } : { list, place, value: element.value };
  }
}

/**
 * Yields the elements of an export that is a list, an object with the list `conversations`, or one
 * conversation alone, which has this field.
 */
export async function* readConversations(file: SourceFile, field: string): AsyncGenerator<PlacedElement> {
  let isEmpty = true;
  for await (const element of readPlaced(file, ["conversations"])) {
    isEmpty = false;
    yield element;
  }
  if (!isEmpty) return;
  for await (const element of readPlaced(file))
    if ("bad" in element || (isObject(element.value) && Object.hasOwn(element.value, field))) yield element;
}

/** Yields the elements that are objects, and names each other element with its place. */
export async function* readObjects(
  file: SourceFile,
  lists: readonly string[] = [],
): AsyncGenerator<{ list: string; place: string; value: Fields } | Bad> {
  yield* objectsIn(readPlaced(file, lists));
}

/** Yields the elements that are objects, and names each other element with its place. */
export async function* objectsIn(
  elements: AsyncIterable<PlacedElement>,
): AsyncGenerator<{ list: string; place: string; value: Fields } | Bad> {
  for await (const element of elements) {
    const { list, place } = element;
    if ("bad" in element) yield { bad: element.bad, place };
    else if (isObject(element.value)) yield { list, place, value: element.value };
    else yield { bad: "not an object", place };
  }
}
