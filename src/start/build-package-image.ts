import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ContainerRuntimeClient, getContainerRuntimeClient, ImageName } from "testcontainers";
import { AppError } from "../base/errors.ts";
import { lockFolder } from "../db/folder-lock.ts";
import { type PackageImage, packageImage } from "./package-image.ts";

const LOOK_EVERY_MS = 500;

/** A line of the engine's report on a build. */
interface BuildLine {
  error?: string;
}

/**
 * Returns the name of an image of the installed package. Builds the image unless the engine has it;
 * test files that ask at the same time wait for one build.
 *
 * @param tell gets a line before a build, because the build takes a while
 * @throws Error when no Docker engine answers, or the build fails
 */
export async function buildPackageImage(
  tell: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Promise<string> {
  const engine = await dockerEngine();
  const image = packageImage();
  const exists = () => engine.image.exists(ImageName.fromString(image.name));
  if (await exists()) return image.name;
  const lock = await lockWhenFree(join(tmpdir(), image.name.replace(":", "-")));
  try {
    if (await exists()) return image.name;
    tell(
      `Recollect: building the image ${image.name} of the installed package. The next runs use it, until the package changes.`,
    );
    await build(engine, image);
    return image.name;
  } finally {
    lock.release();
  }
}

/** @throws Error that says what to do when no engine answers */
async function dockerEngine(): Promise<ContainerRuntimeClient> {
  try {
    return await getContainerRuntimeClient();
  } catch (cause) {
    throw new Error(
      `No Docker engine answers (${(cause as Error).message}). Start Docker, or set DOCKER_HOST. createRecollect() from "recollect" and "recollect/testing" need no Docker.`,
      { cause },
    );
  }
}

/** Takes a lock that another process may hold while it builds the same image. */
async function lockWhenFree(folder: string): Promise<{ release(): void }> {
  for (;;) {
    try {
      return lockFolder(folder);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "data_folder_in_use") throw error;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

async function build({ container: { dockerode } }: ContainerRuntimeClient, image: PackageImage): Promise<void> {
  const context = mkdtempSync(join(tmpdir(), "recollect-image-"));
  try {
    image.writeContext(context);
    const report = await dockerode.buildImage({ context, src: ["Dockerfile", "app"] }, { t: image.name });
    const lines = await new Promise<BuildLine[]>((resolve, reject) => {
      dockerode.modem.followProgress(report, (error, output: BuildLine[]) => (error ? reject(error) : resolve(output)));
    });
    const failed = lines.find(({ error }) => error !== undefined);
    if (failed) throw new Error(failed.error);
  } catch (cause) {
    throw new Error(`The image ${image.name} cannot be built: ${(cause as Error).message}`, { cause });
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}
