import { z } from "zod";
import { factInput, storedFact } from "../facts/fact-schemas.ts";
import { addFacts } from "../facts/store-facts.ts";
import { defineTool } from "./memory-tool.ts";

const output = z.object({ facts: z.array(storedFact) });

/** Remembering one statement. Where it comes from and from when on it holds is for programs to say, not for a model. */
export const memoryStoreTool = defineTool({
  name: "memory_store",
  title: "Remember a fact",
  description:
    "Remember one statement for later conversations: a preference, a decision, who somebody is, how something is done. " +
    "Write one self-contained sentence. A known statement is not stored twice; with a key, the new statement replaces " +
    "the previous one.",
  scope: "agent:write",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: factInput,
  output,
  offered: factInput.omit({ source: true, decayClass: true, validFrom: true }),
  whenToUse:
    "To keep what will matter later (a preference, a decision, a name, a rule), call memory_store with one self-contained " +
    "sentence. Never store passwords or keys.",
  run: async (deps, caller, agentId, input) => ({ facts: await addFacts(deps, caller, agentId, [input]) }),
});
