import { counted } from '#core';
import type { CveData } from './cve-data.ts';
import type { PackageGroup } from './package-groups.ts';

const TITLES = { python: 'Python', go: 'Go', npm: 'npm' } as const;

/** The packages that no data could be compared with, a sentence for each kind and release. */
export function uncheckedPackages(
  groups: readonly PackageGroup[],
  { tracker, osv }: CveData,
): readonly string[] {
  const texts: string[] = [];
  const debian = groups.filter(({ kind }) => kind === 'debian');
  if (tracker === undefined) {
    if (debian.length > 0)
      texts.push(`${counted(debian.length, 'Debian source package')}: no --debian file`);
  } else
    for (const suite of [...new Set(debian.map((group) => group.suite ?? 'no release'))].sort()) {
      if (tracker.releases.has(suite)) continue;
      const count = debian.filter((group) => (group.suite ?? 'no release') === suite).length;
      texts.push(
        `${counted(count, 'Debian source package')} of ${suite}: ${tracker.file} has no such release; Debian removes releases without support`,
      );
    }
  for (const kind of ['python', 'go', 'npm'] as const) {
    const count = groups.filter((group) => group.kind === kind).length;
    if (count === 0 || osv?.kinds.has(kind) === true) continue;
    const why = osv === undefined ? 'no --osv data' : 'the --osv data has no record of this kind';
    texts.push(`${counted(count, `${TITLES[kind]} package`)}: ${why}`);
  }
  return texts;
}
