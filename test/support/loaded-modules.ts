import { registerHooks } from "node:module";

/**
 * For `node --import`: at the end prints the modules that the process has loaded, except Node's
 * own, as one line of standard error.
 */
const loaded: string[] = [];
registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith("node:")) loaded.push(url);
    return next(url, context);
  },
});
process.on("exit", () => process.stderr.write(`loaded ${JSON.stringify(loaded)}\n`));
