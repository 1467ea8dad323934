import type { Requester } from "../../cli/sessions/openclaw-requester.ts";
import type { Scope } from "../../client/client.ts";

/** The user of the owner's private conversations. The plugin for OpenClaw has the same default. */
const OWNER = "owner";

/**
 * Returns the function that says whom a conversation of OpenClaw is for: the owner's are for the
 * user of the import. Without a scope, a group that asks OpenClaw would see private conversations.
 */
export function ownerOf({
  audience,
  writes,
}: Pick<Requester, "audience" | "writes">): (user: string | undefined) => Scope {
  return (user = OWNER) => (audience === "owner" ? { user } : writes);
}
