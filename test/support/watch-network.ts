// Loaded with --import into each thread of a process. Writes the names that the process looks up
// and the addresses that it connects to into the file of NETWORK_LOG.
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import net from "node:net";

const log = process.env.NETWORK_LOG ?? "";
const note = (what: string) => appendFileSync(log, `${what}\n`);

for (const holder of [dns, dns.promises] as Record<string, unknown>[])
  for (const name of Object.keys(holder).filter((one) => /^(lookup|resolve)/.test(one))) {
    const asked = holder[name];
    if (typeof asked !== "function") continue;
    holder[name] = (...args: unknown[]) => {
      note(`${name} ${String(args[0])}`);
      return (asked as (...given: unknown[]) => unknown)(...args);
    };
  }

const connect = net.Socket.prototype.connect as (...args: unknown[]) => net.Socket;
net.Socket.prototype.connect = function watched(this: net.Socket, ...args: unknown[]) {
  note(`connect ${JSON.stringify(args[0])}`);
  return connect.apply(this, args);
} as typeof net.Socket.prototype.connect;

note("watching");
