import { documents, readBlocks } from "../support/doc-blocks.ts";
import { runDocuments } from "../support/doc-suite.ts";

// The recipes have a separate test file so that they run beside the other documents: starting
// processes takes most of the time.
const recipes = documents().filter((file) => file.includes("recipes"));
runDocuments(recipes.map((file) => ({ file, blocks: readBlocks(file) })));
