import pg from "pg";

/** LISTEN on a connection of its own, opened again a second after it is lost. */
export async function listenOn(
  connectionString: string,
  channel: string,
  onNotification: (payload: string) => void,
  onReconnect: () => void,
  onError: (error: Error) => void,
) {
  let closed = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const open = async (): Promise<void> => {
    const next = new pg.Client({ connectionString, application_name: "recollect-listen", keepAlive: true });
    client = next;
    next.on("notification", (message) => onNotification(message.payload ?? ""));
    next.on("error", onError);
    next.on("end", () => {
      if (!closed) retry = setTimeout(() => void open().catch(onError), 1_000);
    });
    await next.connect();
    await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    onReconnect();
  };
  try {
    await open();
  } catch (error) {
    // Nobody holds what could close it.
    closed = true;
    clearTimeout(retry);
    throw error;
  }
  return {
    close: async () => {
      closed = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
