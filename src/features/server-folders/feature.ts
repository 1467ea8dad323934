import type { Feature } from "../feature.ts";

/** Folders of the server whose files are part of an agent's memory (the setting `extraPaths`). */
export const serverFolders: Feature = {
  name: "server-folders",
  loadService: async () => {
    const [{ extraPathStatus, syncExtraPaths }, { schemasWithExtraPaths }] = await Promise.all([
      import("./sync-extra-paths.ts"),
      import("./sql/extra-paths.ts"),
    ]);
    const hooks = {
      syncFolders: syncExtraPaths,
      readFolderStatus: extraPathStatus,
      schemasWithFolders: schemasWithExtraPaths,
    };
    return { hooks };
  },
};
