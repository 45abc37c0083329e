import { digestOf, type Json } from '#core';
import { osvKey, parseOsvRecord } from '../data/osv-record.ts';
import { OsvCollector, type OsvIndex } from '../match/osv-index.ts';
import { parseDebianTracker, type DebianTracker } from '../data/debian-tracker.ts';
import { packageOfPurl } from '../packages-in-spdx.ts';
import type { ImagePackage, ImagePackages } from '../types.ts';

/** A state in the tracker's file. */
export const tracked = (status: string, more: Readonly<Record<string, Json>> = {}): Json => ({
  status,
  repositories: { trixie: '3.5.0-1', 'trixie-security': '3.5.1-1+deb13u2' },
  urgency: 'not yet assigned',
  ...more,
});

/** The tracker with vulnerabilities of one source package in trixie. */
export function trackerOf(
  cves: Readonly<Record<string, Json>>,
  source = 'openssl',
  release = 'trixie',
): DebianTracker {
  const text = JSON.stringify({
    [source]: Object.fromEntries(
      Object.entries(cves).map(([cve, state]) => [
        cve,
        { description: 'a fault', scope: 'remote', releases: { [release]: state } },
      ]),
    ),
  });
  return parseDebianTracker(text, 'tracker.json', new Set([source]));
}

/** An index of OSV records about the given packages. */
export function osvOf(records: readonly Json[], packages: readonly ImagePackage[]): OsvIndex {
  const collector = new OsvCollector(new Set(packages.map((each) => osvKey(each.kind, each.name))));
  for (const [index, record] of records.entries()) {
    const parsed = parseOsvRecord(JSON.stringify(record), `osv/${index}.json`);
    if (parsed !== undefined) collector.add(parsed);
  }
  return collector.index();
}

/** An OSV record about versions of a package. */
export function record(
  id: string,
  ecosystem: string,
  name: string,
  events: readonly Json[],
  more: Readonly<Record<string, Json>> = {},
  versions: readonly string[] = [],
): Json {
  const type = ecosystem === 'PyPI' ? 'ECOSYSTEM' : 'SEMVER';
  return {
    id,
    modified: '2026-06-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem, name },
        ranges: events.length === 0 ? [] : [{ type, events: [...events] }],
        versions: [...versions],
      },
    ],
    ...more,
  };
}

/** A package by its package URL; for Debian with a source package. */
export function packageOf(purl: string, source?: string, version?: string): ImagePackage {
  const found = packageOfPurl(purl)!;
  return source === undefined
    ? found
    : { ...found, source: { name: source, version: version ?? found.version } };
}

/** An image with packages. */
export function imageOf(image: string, packages: readonly ImagePackage[]): ImagePackages {
  return { image, digest: digestOf(image), packages };
}

export const LIBSSL = packageOf(
  'pkg:deb/debian/libssl3t64@3.5.1-1%2Bb1?arch=amd64&distro=trixie',
  'openssl',
  '3.5.1-1',
);
