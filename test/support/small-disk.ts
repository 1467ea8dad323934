import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestOptions } from "vitest";
import { skipped } from "./needs.ts";

/** A small disk in memory. */
export interface SmallDisk {
  folder: string;
  /** Fills the disk except for `leftBytes` bytes. */
  fill(leftBytes: number): void;
  /** Frees the space that `fill` took. */
  empty(): void;
  freeBytes(): number;
  setReadOnly(isReadOnly: boolean): void;
  remove(): void;
}

/** Options of a suite that fills a disk. */
export function needsSmallDisk(): TestOptions {
  try {
    makeSmallDisk(1).remove();
    return {};
  } catch {
    return skipped("needs Linux and root, or sudo without a password: it mounts small disks");
  }
}

export function makeSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "recollect-disk-"));
  try {
    asRoot("mount", "-t", "tmpfs", "-o", `mode=0777,size=${megabytes}m`, "tmpfs", folder);
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  const filler = join(folder, "filler");
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    folder,
    freeBytes,
    fill: (leftBytes) => {
      const file = openSync(filler, "a");
      try {
        for (let over = freeBytes() - leftBytes; over > 0; over = freeBytes() - leftBytes)
          writeSync(file, Buffer.alloc(Math.min(over, 2 ** 20)));
      } finally {
        closeSync(file);
      }
    },
    setReadOnly: (isReadOnly) => asRoot("mount", "-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder),
    empty: () => rmSync(filler, { force: true }),
    remove: () => {
      // Unmounts lazily, because a process that a test has just killed may still have a file open.
      asRoot("umount", "--lazy", folder);
      rmdirSync(folder);
    },
  };
}

function asRoot(...command: string[]): void {
  const [program = "", ...args] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command.join(" ")} failed: ${error?.message ?? stderr}`);
}
