// Starts ccp: from a bundle of its sources if there is a current one, which opens 200 files fewer,
// else from the sources. A bundle that is out of date is made again once no source has changed for
// an hour. With NODE_OPTIONS, for example for a debugger or a profile, ccp always runs from its
// sources.
import { bundleOf, FOLDER, isQuiet, readList } from './bundle-list.ts';

const { join } = process.getBuiltinModule('node:path');
const { pathToFileURL } = process.getBuiltinModule('node:url');
const root = join(import.meta.dirname, '..');
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
await import(pathToFileURL(main).href);
