import { documents, readBlocks } from "../support/doc-blocks.ts";
import { runDocuments } from "../support/doc-suite.ts";

// A file of their own, so that they run beside the other documents: most of the time goes by in processes that start.
const recipes = documents().filter((file) => file.includes("recipes"));
runDocuments(recipes.map((file) => ({ file, blocks: readBlocks(file) })));
