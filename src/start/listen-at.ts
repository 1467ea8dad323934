import { createServer } from "node:net";
import { AppError } from "../base/errors.ts";
import { type Fetching, type Listener, listen } from "../http/listen.ts";
import { serverAt } from "../wiring/server-at.ts";

/** An address to listen on, and the settings that choose its parts, for the errors. */
export interface Place {
  host: string;
  port: number;
  hostSetting: string;
  portSetting: string;
}

/**
 * Listens on an address.
 *
 * @throws AppError `config_invalid` when the address cannot be used
 */
export async function listenAt(app: Fetching, place: Place): Promise<Listener> {
  try {
    return await listen(app, place);
  } catch (cause) {
    throw await listenTrouble(cause, place);
  }
}

/**
 * Checks that a server could listen on an address. A start looks here before it opens a database,
 * which takes seconds and may migrate.
 *
 * @throws AppError as `listenAt`
 */
export async function requireFreePlace(place: Place): Promise<void> {
  const { host, port } = place;
  // Port 0 asks for any free port.
  if (port === 0) return;
  const server = createServer();
  try {
    await new Promise<void>((listening, failed) => server.once("error", failed).listen(port, host, listening));
    await new Promise((closed) => server.close(closed));
  } catch (cause) {
    throw await listenTrouble(cause, place);
  }
}

async function listenTrouble(cause: unknown, { host, port, hostSetting, portSetting }: Place): Promise<unknown> {
  const trouble = (message: string) => new AppError("config_invalid", message, { cause });
  switch ((cause as { code?: unknown }).code) {
    case "EADDRINUSE": {
      const other = await serverAt(port);
      const remedy = `choose another with ${portSetting}.`;
      if (other === undefined) return trouble(`Port ${port} on ${host} is taken; ${remedy}`);
      const url = `http://127.0.0.1:${port}`;
      return trouble(
        `Port ${port} on ${host} is taken by a Recollect server, ${other.version}: use that one (--url ${url}), stop it, or ${remedy}`,
      );
    }
    case "EACCES":
      return trouble(`This user may not listen on port ${port}; choose one above 1023 with ${portSetting}.`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return trouble(`This machine has no address ${host}; choose another with ${hostSetting}, such as 127.0.0.1.`);
    default:
      return cause;
  }
}
