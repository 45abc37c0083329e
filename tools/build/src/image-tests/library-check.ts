import { isAllowed } from './file-checks.ts';
import type { LibraryFault } from './probe-records.ts';
import type { Finding } from './types.ts';

/** What the loader says of ELF files that are not meant to be loaded: objects before linking, and separate debug symbols. */
const NOT_LOADABLE = /only ET_DYN and ET_EXEC can be loaded|has no loadable segments|object file has no dynamic section/;

/** One finding for each ELF file that lacks a library. */
export function libraryFindings(faults: readonly LibraryFault[], allow: readonly string[]): readonly Finding[] {
  return faults
    .filter(({ path, said }) => !isAllowed(path, allow) && !NOT_LOADABLE.test(said))
    .map(({ path, said }) => ({ check: 'libraries', message: `${path} ${reasonOf(said)}` }));
}

function reasonOf(said: string): string {
  const missing = [...said.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name);
  if (missing.length > 0) return `needs ${[...new Set(missing)].join(', ')}, which the image does not have`;
  const [line = ''] = said.split('\n').filter((text) => /not found|error/i.test(text));
  return `cannot be loaded: ${(line === '' ? said : line).trim() || 'the image has no loader'}`;
}
