import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { isOriginName } from "../../service/core/origin-name.ts";

/**
 * Returns the name that marks a folder's files as its own, unless the user gives another name. It
 * consists of the machine, the real path of the folder and its place in the memory. Two folders
 * never share a name, so neither removes files that the other has sent.
 */
export async function originOf(root: string, prefix: string): Promise<string> {
  // The domain is cut off, because it changes with the network.
  const [host = ""] = hostname().toLowerCase().split(".");
  const folder = `${await realpath(root)}${prefix === "" ? "" : `#${prefix}`}`.normalize("NFC");
  const name = `${host}:${folder}`;
  if (isOriginName(name)) return name;
  return `folder:${createHash("sha256").update(name).digest("hex")}`;
}
