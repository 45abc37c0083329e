import { isAllowed } from './file-checks.ts';
import type { LibraryFault } from './probe-records.ts';
import type { Finding } from './types.ts';

/** The loader's errors about ELF files that are not loadable: object files and debug symbols. */
const NOT_LOADABLE =
  /only ET_DYN and ET_EXEC can be loaded|has no loadable segments|object file has no dynamic section/;

/** One finding per ELF file with missing libraries. */
export function libraryFindings(
  faults: readonly LibraryFault[],
  allow: readonly string[],
): readonly Finding[] {
  return faults
    .filter(({ path, loaderOutput }) => !isAllowed(path, allow) && !NOT_LOADABLE.test(loaderOutput))
    .map(({ path, loaderOutput }) => ({
      check: 'libraries',
      message: `${path} ${reasonOf(loaderOutput)}`,
    }));
}

function reasonOf(loaderOutput: string): string {
  const missing = [...loaderOutput.matchAll(/^[ \t]*(\S+) => not found/gm)].map(([, name]) => name);
  if (missing.length > 0) return `needs ${[...new Set(missing)].join(', ')}, missing in the image`;
  const [line = ''] = loaderOutput.split('\n').filter((text) => /not found|error/i.test(text));
  return `cannot be loaded: ${(line === '' ? loaderOutput : line).trim() || 'the image has no loader'}`;
}
