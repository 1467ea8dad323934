import { AppError } from "../base/errors.ts";
import { type Fetching, type Listener, listen } from "../http/listen.ts";

/**
 * Listens on an address.
 *
 * @param setting the setting that chooses the port, for the error
 * @throws AppError `config_invalid` when the port is taken
 */
export async function listenAt(
  app: Fetching,
  address: { host: string; port: number },
  setting: string,
): Promise<Listener> {
  try {
    return await listen(app, address);
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "EADDRINUSE") throw cause;
    throw new AppError(
      "config_invalid",
      `Port ${address.port} on ${address.host} is taken; choose another with ${setting}.`,
      { cause },
    );
  }
}
