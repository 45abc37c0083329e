import type { CveDifference } from '#cves';
import type { CommandDefinition } from '../../command.ts';
import type { CveFlags } from '../../compose/cves/scan.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { CVE_DATA, FROM, TRUST } from '../../options.ts';
import { cveChangeLines } from '../../report/cve-text.ts';

export interface DiffFlags extends TrustFlags, CveFlags {
  readonly from?: string;
}

/** `ccp release diff A B`: images, commits, packages, app specs, sizes and CVEs that changed. */
export const diff: CommandDefinition<DiffFlags> = {
  usage: 'diff <before> <after>',
  description:
    'compare two released sets: images, commits, packages, app specs, sizes, and vulnerabilities if their data is given',
  options: [FROM, TRUST, ...CVE_DATA],
  examples: [
    'ccp release diff 2026.1.0 2026.1.1 --from registry.example.org/ccp',
    'ccp release diff 2026.1.0 stable --from registry.example.org/ccp --debian tracker.json',
  ],
  run: async ({ root, output }, [before = '', after = ''], flags) => {
    const { diffLines, diffSets, packageLines, trustedRelease } = await import('#release');
    const { changedCves, changedPackages } = await import('../../compose/cves/changelog.ts');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const [old, now] = await Promise.all([
      trustedRelease(place, before, keys),
      trustedRelease(place, after, keys),
    ]);
    const images = diffSets(old.set, now.set);
    const packages = await changedPackages(place, old.set, now.set);
    const today = new Date().toISOString().slice(0, 10);
    let cves: CveDifference | undefined;
    if (flags.debian !== undefined || flags.osv !== undefined) {
      const changed = await changedCves(place, [old.set, now.set], flags, today);
      for (const text of changed.unchecked) output.warn(`not checked: ${text}`);
      ({ cves } = changed);
    }
    output.result(
      [
        ...diffLines(images),
        ...(packages.length === 0 ? [] : ['packages:']),
        ...packageLines(packages).map((line) => `  ${line}`),
        ...(cves === undefined ? [] : cveChangeLines(cves)),
      ].join('\n'),
      { before, after, images, packages, ...(cves === undefined ? {} : { cves }) },
    );
    return 0;
  },
};
