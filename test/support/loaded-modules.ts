import { registerHooks } from "node:module";

/** For `node --import`: says at the end, as one line of standard error, which modules but Node's own the process has loaded. */
const loaded: string[] = [];
registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith("node:")) loaded.push(url);
    return next(url, context);
  },
});
process.on("exit", () => process.stderr.write(`loaded ${JSON.stringify(loaded)}\n`));
