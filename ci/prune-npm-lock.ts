// Removes from package-lock.json the optional dependencies that have no entry there: native
// binaries of systems that CCP does not run on. `npm ci` refuses a lock that names them without an
// entry, and not every registry mirror serves them. Run it after `npm install` changed the lock.
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

const path = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, LockedPackage> };

/** Whether Node would find the package `name` from the folder `from`, as the lock lays them out. */
const hasEntry = (from: string, name: string): boolean => {
  const parents = from
    .split('/node_modules/')
    .map((_, index, all) => [...all.slice(0, all.length - index), name].join('/node_modules/'));
  return [...parents, `node_modules/${name}`].some((entry) => Object.hasOwn(lock.packages, entry));
};

let removed = 0;
for (const [from, entry] of Object.entries(lock.packages)) {
  const optional = entry.optionalDependencies;
  if (optional === undefined) continue;
  for (const name of Object.keys(optional).filter((name) => !hasEntry(from, name))) {
    delete optional[name];
    removed += 1;
  }
  if (Object.keys(optional).length === 0) delete entry.optionalDependencies;
}
if (removed > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.error(`${path}: removed ${removed} optional dependencies that have no entry`);
