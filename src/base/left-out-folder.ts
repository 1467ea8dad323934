/** Folders in which programs keep what they made, installed or threw away. In lower case. */
const NAMES: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "site-packages",
  "__pycache__",
  "__macosx",
  "cvs",
  // Trash and snapshots of Windows and of network drives.
  "$recycle.bin",
  "recycler",
  "system volume information",
  "lost+found",
  "@eadir",
  "#recycle",
  "@recycle",
  "#snapshot",
  "@recently-snapshot",
  "backups.backupdb",
]);
/** Logseq's copies of changed and deleted pages. */
const INSIDE = /(?:^|\/)logseq\/(?:bak|\.recycle)$/i;

/**
 * Returns whether a folder is left out unless somebody asks for it: hidden folders, such as `.git`,
 * `.obsidian`, `.trash` and `.history`, and folders of trash, backups and installed packages.
 *
 * @param path the path of the folder, without a slash at its end
 */
export function isLeftOutFolder(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.startsWith(".") || NAMES.has(name.toLowerCase()) || INSIDE.test(path);
}
