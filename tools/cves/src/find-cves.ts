import type { DebianTracker } from './data/debian-tracker.ts';

import { osvKey } from './data/osv-record.ts';
import { debianVerdict } from './match/debian-verdict.ts';
import type { CveData } from './match/cve-data.ts';
import { mergeAliases, type MergedVerdict, type NamedVerdict } from './match/merge-aliases.ts';
import type { OsvIndex } from './match/osv-index.ts';
import { osvVerdict } from './match/osv-verdict.ts';
import { packageGroups, type PackageGroup } from './match/package-groups.ts';
import { uncheckedPackages } from './match/unchecked-packages.ts';
import { sortFindings } from './sort-findings.ts';
import { compareDebian } from './versions/debian-version.ts';
import { comparePython } from './versions/python-version.ts';
import { compareSemver } from './versions/semver-version.ts';
import type { CveReport, Finding, ImagePackages } from './types.ts';

/**
 * Finds the vulnerabilities of the packages in images. A vulnerability of a package that several
 * images contain is one finding. Decisions are applied by `applyDecisions`.
 */
export function findCves(images: readonly ImagePackages[], data: CveData): CveReport {
  const groups = packageGroups(images);
  const findings = groups.flatMap((group) =>
    verdictsOf(group, data).map((verdict) => findingOf(group, verdict)),
  );
  return { findings: sortFindings(findings), unchecked: uncheckedPackages(groups, data) };
}

function verdictsOf(group: PackageGroup, { tracker, osv }: CveData): readonly MergedVerdict[] {
  return group.kind === 'debian' ? debianVerdicts(group, tracker) : osvVerdicts(group, osv);
}

function debianVerdicts(
  { name, version, suite = '' }: PackageGroup,
  tracker: DebianTracker | undefined,
): readonly MergedVerdict[] {
  if (tracker === undefined || !tracker.releases.has(suite)) return [];
  return [...(tracker.sources.get(name) ?? [])].map(([cve, releases]): MergedVerdict => {
    const entry = releases.get(suite);
    return entry === undefined
      ? { cve, aliases: [], state: 'unknown', why: `the tracker has no entry for ${suite}` }
      : { cve, aliases: [], ...debianVerdict(version, suite, entry) };
  });
}

function osvVerdicts(
  { kind, name, version }: PackageGroup,
  osv: OsvIndex | undefined,
): readonly MergedVerdict[] {
  const records = osv?.records.get(osvKey(kind, name)) ?? [];
  const named = records.flatMap(({ id, aliases, affected }): readonly NamedVerdict[] => {
    const verdict = osvVerdict(kind, version, affected);
    return verdict === undefined ? [] : [{ id, aliases, ...verdict }];
  });
  const compare = kind === 'python' ? comparePython : compareSemver;
  return mergeAliases(named, (a, b) => compare(a, b) ?? compareDebian(a, b));
}

function findingOf(
  { kind, name, version, images }: PackageGroup,
  { cve, aliases, state, fixed, why }: MergedVerdict,
): Finding {
  const packages = new Map(
    images.flatMap((each) => each.packages.map((item) => [item.purl, item] as const)),
  );
  return {
    cve,
    aliases,
    kind,
    package: name,
    version,
    state,
    ...(fixed === undefined ? {} : { fixed }),
    ...(why === undefined ? {} : { why }),
    packages: [...packages.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
    images: images.map(({ image, digest }) => ({ image, digest })),
  };
}
