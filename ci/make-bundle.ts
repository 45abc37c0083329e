// Bundles the sources of ccp for a faster start:
//   node make-bundle.ts CLONE
// The bundle has no behaviour of its own: start.ts uses it only while the size and times of all its
// sources are unchanged. A bundle that is in use is not removed: a running command can still load
// parts of it.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import { FOLDER, LIST, sourceFile, type BundleList } from './bundle-list.ts';
import { plainBuiltins } from './plain-builtins.ts';

/** Packages in the bundle; all others are loaded from node_modules. */
const BUNDLED = ['commander', 'fast-string-truncated-width', 'fast-string-width'];
/** Sources that changed later than this before the start may change while they are read. */
const CLOCK_MS = 1000;
/** Bundles of an earlier state are removed after this time. */
const KEEP_MS = 7 * 24 * 3600 * 1000;

const root = resolve(process.argv[2] ?? '.');
const sources = new Set<string>([
  'package.json',
  'package-lock.json',
  'ci/make-bundle.ts',
  'ci/plain-builtins.ts',
]);

/** Records every source, and keeps the places that modules know of themselves. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    if (id.startsWith(`${root}/tools/`)) sources.add(relative(root, id));
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)));
  },
};

function isExternal(id: string): boolean {
  return !/^[./#]/.test(id) && !BUNDLED.includes(id);
}

async function bundleInto(folder: string): Promise<boolean> {
  try {
    const bundle = await rolldown({
      input: { main: join(root, 'tools/cli/src/main.ts') },
      cwd: root,
      platform: 'node',
      external: isExternal,
      plugins: [ownPlaces, plainBuiltins],
      logLevel: 'silent',
    });
    // Node reads a .js file twice to find its format.
    await bundle.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
    await bundle.close();
    return true;
  } catch {
    return false;
  }
}

async function makeBundle(): Promise<void> {
  const start = Date.now();
  const folder = join(root, FOLDER);
  const name = randomUUID();
  const isMade = await bundleInto(join(folder, name));
  const files = [...sources]
    .toSorted()
    .map((path) => sourceFile(root, path))
    .filter((file) => file !== undefined);
  if (files.some(([, , , ctimeMs]) => ctimeMs > start - CLOCK_MS)) {
    rmSync(join(folder, name), { recursive: true, force: true });
    return;
  }
  const list: BundleList = { root, name: isMade ? name : '', files };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(list));
  renameSync(join(folder, `${name}.json`), join(folder, LIST));
  removeOld(folder, list.name);
}

function removeOld(folder: string, current: string): void {
  for (const entry of readdirSync(folder).filter((each) => each !== current && each !== LIST)) {
    const path = join(folder, entry);
    if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path, { recursive: true });
  }
}

await makeBundle();
