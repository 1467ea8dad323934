import { packCommand } from "../../scripts/pack-command.ts";

/** Packs the command, because the tests start hundreds of commands. */
export default packCommand;
