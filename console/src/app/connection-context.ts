import { createContext, useContext } from "react";
import type { AgentClient } from "recollect/client";
import type { Connection } from "../lib/connection.ts";

export const ConnectionContext = createContext<Connection | undefined>(undefined);

/** Returns the signed-in connection. Pages are shown only when there is one. */
export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (!connection) throw new Error("A page was shown without a connection.");
  return connection;
}

export function useAgent(id: string): AgentClient {
  return useConnection().client.agent(id);
}
