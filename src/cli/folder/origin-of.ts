import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { isOriginName } from "../../service/core/origin-name.ts";

/**
 * The name under which a folder's files are the folder's, unless the user gives another: this machine, where the folder really
 * is, and its place in the memory. Two folders never share it, so that neither removes what the other sent.
 */
export async function originOf(root: string, prefix: string): Promise<string> {
  // The domain comes and goes with the network.
  const [host = ""] = hostname().toLowerCase().split(".");
  const folder = `${await realpath(root)}${prefix === "" ? "" : `#${prefix}`}`.normalize("NFC");
  const name = `${host}:${folder}`;
  if (isOriginName(name)) return name;
  return `folder:${createHash("sha256").update(name).digest("hex")}`;
}
