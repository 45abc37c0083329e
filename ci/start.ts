// Starts ccp: from a bundle of its sources if there is a current one, which opens 200 files fewer,
// else from the sources. A bundle that is out of date is made again once no source has changed for
// an hour. With NODE_OPTIONS, for example for a debugger or a profile, ccp always runs from its
// sources.
import { bundleOf, FOLDER, isQuiet, readList } from './bundle-list.ts';

const { existsSync, writeSync } = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');
const { pathToFileURL } = process.getBuiltinModule('node:url');
const root = join(import.meta.dirname, '..');
const options = process.argv.slice(2);
const isJson = options.slice(0, options.indexOf('--') >>> 0).includes('--json');

/** Prints an error, as JSON too unless a result was printed, and ends this process. */
function fail(exitCode: number, code: string, message: string, hint?: string): never {
  try {
    const hasResult = ((process.stdout as { bytesWritten?: number }).bytesWritten ?? 0) > 0;
    const errors = { errors: [{ code, message, hint }] };
    if (isJson && !hasResult) writeSync(1, `${JSON.stringify(errors, undefined, 2)}\n`);
    writeSync(2, `ccp: ${message}\n${hint === undefined ? '' : `  -> ${hint}\n`}`);
  } catch {
    // The terminal was closed.
  }
  process.exit(exitCode);
}

// Before the imports of the command, which take longer than a short command itself. Commands with
// work to finish have a listener as well, and end by themselves.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    if (process.listenerCount(name) === 1) fail(130, 'cancelled', 'cancelled');
  });

const { NODE_OPTIONS = '', NODE_V8_COVERAGE = '' } = process.env;
const list = NODE_OPTIONS === '' && NODE_V8_COVERAGE === '' ? readList(root) : undefined;
let bundle = list && bundleOf(list);
if (list !== undefined && bundle === undefined && isQuiet(list)) {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const make = join(import.meta.dirname, 'make-bundle.ts');
  spawnSync(process.execPath, [make, root], { stdio: 'ignore' });
  const made = readList(root);
  bundle = made && bundleOf(made);
}
const main = bundle ? join(root, FOLDER, bundle, 'main.mjs') : join(root, 'tools/cli/src/main.ts');
try {
  await import(pathToFileURL(main).href);
} catch (error) {
  // tools/cli/src/report/damaged-modules.ts has the same check, for modules that a command loads.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const modules = join(root, 'node_modules');
  const check = [
    join(import.meta.dirname, 'check-modules.ts'),
    `${root}/package-lock.json`,
    modules,
  ];
  if (!existsSync(check[0]!) || spawnSync(process.execPath, check).status !== 1) throw error;
  const reason = `npm packages in ${modules} are damaged: ${(error as Error).message}`;
  fail(5, 'machine-modules', reason, `run: rm -rf ${modules}; the next ccp installs them again`);
}
