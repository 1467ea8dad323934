import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "./version.ts";

/**
 * The image that this package makes of itself for tests. The repository's Dockerfile makes the same
 * from sources. This one copies the packages that are installed here. So tests run the
 * versions that the application has, and the build needs no registry of packages.
 */
export const PACKAGE_DOCKERFILE = `FROM node:24-trixie-slim
ENV ORT_DISABLE_TELEMETRY=1
ENV NODE_ENV=production RECOLLECT_HOST=0.0.0.0 RECOLLECT_DATA_DIR=/data RECOLLECT_CACHE_DIR=/data/cache
WORKDIR /app
RUN install -d -o node -g node /data
COPY app ./
RUN ["node", "dist/start/cli.js", "--version"]
USER node
VOLUME /data
EXPOSE 7420
ENTRYPOINT ["node", "dist/start/cli.js"]
CMD ["serve"]
`;

/** The parts of the package that the service reads. */
const PARTS = ["dist", "drizzle", "migrations", "examples", "package.json"];
/** The model's native engine, an optional package. Without it the model runs in WebAssembly. */
const NATIVE_ENGINE = "onnxruntime-node";
/** Files for developers. */
const LEFT_OUT = /\.(map|[cm]?ts)$/;

interface Manifest {
  dependencies?: Record<string, string>;
}

/** A file or folder and its place in the image's folder `/app`. */
interface Placed {
  from: string;
  to: string;
}

/** The image of the installed package. */
export interface PackageImage {
  /** The image's name, whose tag has the version and a hash of all files. */
  readonly name: string;
  /** Writes the folder that the image is built from: a Dockerfile, and the files beside it. */
  writeContext(folder: string): void;
}

/**
 * Returns the image of the package that this module belongs to.
 *
 * @param root the package's folder
 * @throws Error when the package is not built, or a package that it needs is not installed in a
 *   folder `node_modules`
 */
export function packageImage(root = fileURLToPath(new URL("../../", import.meta.url))): PackageImage {
  const folder = realpathSync(root);
  if (!existsSync(join(folder, "dist/start/cli.js")))
    throw new Error(`The package in ${folder} is not built: run \`npm run build\` there, or name an image.`);
  const placed = [...PARTS.map((part) => ({ from: join(folder, part), to: part })), ...placePackages(folder)];
  const files = placed.flatMap(filesOf).sort((a, b) => (a.to < b.to ? -1 : 1));
  const hash = createHash("sha256").update(PACKAGE_DOCKERFILE);
  for (const { from, to } of files) {
    const bytes = readFileSync(from);
    hash.update(`${to}\n${bytes.length}\n`).update(bytes);
  }
  return {
    name: `recollect-package:${VERSION}-${hash.digest("hex").slice(0, 12)}`,
    writeContext: (context) => {
      writeFileSync(join(context, "Dockerfile"), PACKAGE_DOCKERFILE);
      for (const { from, to } of files) {
        const target = join(context, "app", to);
        mkdirSync(dirname(target), { recursive: true });
        cpSync(from, target);
      }
    },
  };
}

/**
 * Finds all packages that the service needs, and a place for each: at the top, or within the
 * package that needs it if another version is at the top.
 */
function placePackages(root: string): Placed[] {
  const tops = new Map<string, string>();
  const placed: Placed[] = [];
  const place = (name: string) => `node_modules/${name}`;
  const add = (name: string, from: string, within: string) => {
    const isTop = (tops.get(name) ?? from) === from;
    const to = isTop ? place(name) : `${within}/${place(name)}`;
    // The folder of a place that Node.js looks into from here is a beginning of this package's path.
    const isFound = (one: Placed) => one.from === from && `${within}/`.startsWith(one.to.slice(0, -place(name).length));
    if (placed.some(isFound)) return;
    if (isTop) tops.set(name, from);
    placed.push({ from, to });
    for (const needed of namesNeededBy(from)) add(needed, mustFind(needed, from), to);
  };
  for (const needed of namesNeededBy(root)) add(needed, mustFind(needed, root), ".");
  // Its own dependencies serve only its install script.
  const engine = findPackage(NATIVE_ENGINE, root);
  return engine === undefined ? placed : [...placed, { from: engine, to: place(NATIVE_ENGINE) }];
}

function namesNeededBy(folder: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  return Object.keys(dependencies);
}

function mustFind(name: string, from: string): string {
  const found = findPackage(name, from);
  if (found !== undefined) return found;
  throw new Error(
    `${from} needs the package ${name}, which is in no folder node_modules, so no image can be made. Name an image.`,
  );
}

/** Returns the folder of a package as Node.js finds it: in the nearest folder `node_modules`. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns the files of a place, without those for developers or for other systems. */
function filesOf({ from, to }: Placed): Placed[] {
  if (to === "package.json") return [{ from, to }];
  return readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(from, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !LEFT_OUT.test(path) && !/(^|\/)node_modules\//.test(path) && !isForAnother(path, to))
    .map((path) => ({ from: join(from, path), to: `${to}/${path}` }));
}

function isForAnother(path: string, to: string): boolean {
  return to.endsWith(`/${NATIVE_ENGINE}`) && path.startsWith("bin/") && !path.includes("/linux/");
}
