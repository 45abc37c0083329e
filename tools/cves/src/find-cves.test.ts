import { describe, expect, it } from 'vitest';
import type { Json } from '#core';
import { findCves } from './find-cves.ts';
import {
  imageOf,
  LIBSSL,
  osvOf,
  packageOf,
  record,
  tracked,
  trackerOf,
} from './testing/samples.ts';
import type { CveReport } from './types.ts';

const texts = ({ findings, unchecked }: CveReport): readonly string[] => [
  ...findings.map(({ cve, package: name, version, state, fixed, why }) =>
    [cve, name, version, state, fixed ?? '-', why ?? ''].join(' ').trim(),
  ),
  ...unchecked.map((text) => `unchecked: ${text}`),
];

describe('Debian', () => {
  it.each<readonly [string, Json, string]>([
    [
      'finds a released fix',
      tracked('resolved', { fixed_version: '3.5.1-1+deb13u2' }),
      'fixable 3.5.1-1+deb13u2',
    ],
    [
      'compares the source version, not that of a rebuilt package',
      tracked('resolved', { fixed_version: '3.5.1-1+a' }),
      'fixable 3.5.1-1+a',
    ],
    [
      'knows that a fix is not released yet',
      tracked('resolved', { fixed_version: '3.5.1-1+deb13u3' }),
      'no-fix 3.5.1-1+deb13u3 the fix is not in the archives of trixie yet',
    ],
    [
      'knows that version 0 means never affected',
      tracked('resolved', { fixed_version: '0' }),
      'not-affected - Debian: trixie was never affected',
    ],
    [
      'knows that the image has the fix',
      tracked('resolved', { fixed_version: '3.5.1-1' }),
      'not-affected 3.5.1-1 fixed in 3.5.1-1',
    ],
    ['finds an open one', tracked('open'), 'no-fix -'],
    [
      'does not take undetermined for open',
      tracked('undetermined'),
      'unknown - Debian has not determined whether it is affected',
    ],
    [
      'does not take the end of life for negligible',
      tracked('open', { urgency: 'end-of-life' }),
      'no-fix - Debian ended the support of this package in trixie',
    ],
    [
      'reports one that Debian ignores',
      tracked('open', { nodsa: 'Minor issue', nodsa_reason: 'ignored' }),
      'ignored - Debian: ignored (Minor issue)',
    ],
    [
      'reports an unimportant one',
      tracked('open', { urgency: 'unimportant' }),
      'ignored - Debian: unimportant',
    ],
    [
      'reports a postponed fix',
      tracked('open', { nodsa: 'Minor issue', nodsa_reason: 'postponed' }),
      'no-fix - Debian: postponed (Minor issue)',
    ],
    [
      'reports one without an advisory',
      tracked('open', { nodsa: 'Minor issue', nodsa_reason: '' }),
      'no-fix - Debian: no advisory (Minor issue)',
    ],
    ['keeps an unknown status', tracked('rejected'), 'unknown - Debian: status rejected'],
  ])('%s', (_, state, expected) => {
    const tracker = trackerOf({ 'CVE-2026-0001': state });
    expect(texts(findCves([imageOf('keystone', [LIBSSL])], { tracker }))).toEqual([
      `CVE-2026-0001 openssl 3.5.1-1 ${expected}`.trim(),
    ]);
  });

  it('names the source and the packages of it, which the CVE may not concern', () => {
    const tool = packageOf('pkg:deb/debian/openssl@3.5.1-1?arch=amd64&distro=trixie', 'openssl');
    const images = [imageOf('nova', [LIBSSL, tool]), imageOf('keystone', [LIBSSL])];
    const [finding] = findCves(images, {
      tracker: trackerOf({ 'CVE-2026-1': tracked('open') }),
    }).findings;
    expect(finding).toMatchObject({
      package: 'openssl',
      packages: [{ name: 'libssl3t64' }, { name: 'openssl' }],
      images: [{ image: 'keystone' }, { image: 'nova' }],
    });
  });

  it('reports a release that vanished from the file as unchecked', () => {
    const tracker = trackerOf({ 'CVE-2026-1': tracked('open') }, 'openssl', 'forky');
    expect(texts(findCves([imageOf('keystone', [LIBSSL])], { tracker }))).toEqual([
      'unchecked: 1 Debian source package of trixie: tracker.json has no such release; Debian removes releases without support',
    ]);
  });

  it('takes nothing from another release', () => {
    const tracker = trackerOf({ 'CVE-2026-1': tracked('open') });
    const old = { ...LIBSSL, suite: 'bookworm' };
    expect(findCves([imageOf('keystone', [old])], { tracker }).findings).toEqual([]);
  });
});

describe('OSV', () => {
  const JINJA = packageOf('pkg:pypi/jinja2@3.1.4');
  const find = (records: readonly Json[], packages = [JINJA]): readonly string[] =>
    texts(findCves([imageOf('keystone', packages)], { osv: osvOf(records, packages) }));
  const range = (...pairs: readonly string[]): Json[] =>
    pairs.map((version, index) => (index % 2 === 0 ? { introduced: version } : { fixed: version }));

  it('finds the first fixed version of a range', () => {
    const records = [record('PYSEC-2024-1', 'PyPI', 'Jinja2', range('0', '3.1.5'))];
    expect(find(records)).toEqual(['PYSEC-2024-1 jinja2 3.1.4 fixable 3.1.5']);
  });

  it.each([
    ['before the range', range('3.1.5', '3.1.6')],
    ['after the range', range('0', '3.1.4')],
    ['between two ranges', range('0', '2.11.3', '3.1.5', '3.1.6')],
    ['after the last affected version', [{ introduced: '0' }, { last_affected: '3.1.3' }]],
    ['before a pre-release of the range', range('4.0.0rc1', '4.0.0')],
  ])('finds nothing %s', (_, events) => {
    expect(find([record('PYSEC-2024-1', 'PyPI', 'jinja2', events)])).toEqual([]);
  });

  it('uses the list of versions before the ranges', () => {
    const records = [
      record('PYSEC-2024-1', 'PyPI', 'jinja2', range('0', '3.1.0'), {}, ['3.1.4.0']),
    ];
    expect(find(records)).toEqual(['PYSEC-2024-1 jinja2 3.1.4 no-fix -']);
  });

  it('finds a listed version if a range cannot be compared', () => {
    const events = range('0', 'next');
    expect(find([record('PYSEC-1', 'PyPI', 'jinja2', events, {}, ['3.1.4'])])).toEqual([
      'PYSEC-1 jinja2 3.1.4 no-fix -',
    ]);
    expect(find([record('PYSEC-1', 'PyPI', 'jinja2', events)])).toEqual([
      'PYSEC-1 jinja2 3.1.4 unknown - a version of the record cannot be compared',
    ]);
  });

  it('finds the last affected version without a fix', () => {
    const events = [{ introduced: '0' }, { last_affected: '3.1.4' }];
    expect(find([record('GHSA-1', 'PyPI', 'jinja2', events)])).toEqual([
      'GHSA-1 jinja2 3.1.4 no-fix -',
    ]);
  });

  it('leaves withdrawn records out', () => {
    const records = [
      record('PYSEC-2024-1', 'PyPI', 'jinja2', range('0', '3.1.5'), {
        withdrawn: '2026-01-01T00:00:00Z',
      }),
      record('GO-1', 'PyPI', 'other', []),
    ];
    expect(find(records)).toEqual([]);
  });

  it('joins records by their aliases, and names the CVE', () => {
    const records = [
      record('GHSA-aaaa', 'PyPI', 'jinja2', range('0', '3.1.5'), { aliases: ['CVE-2024-56326'] }),
      record('PYSEC-2024-9', 'PyPI', 'jinja2', range('0', '3.1.6'), { aliases: ['GHSA-aaaa'] }),
      record('PYSEC-2024-8', 'PyPI', 'jinja2', range('0'), { aliases: ['CVE-2024-1000'] }),
    ];
    const packages = [JINJA];
    const { findings } = findCves([imageOf('keystone', packages)], {
      osv: osvOf(records, packages),
    });
    expect(findings.map(({ cve, aliases, fixed }) => [cve, aliases, fixed])).toEqual([
      ['CVE-2024-1000', ['PYSEC-2024-8'], undefined],
      ['CVE-2024-56326', ['GHSA-aaaa', 'PYSEC-2024-9'], '3.1.6'],
    ]);
  });

  it('says unknown for a record of commits alone', () => {
    const commits: Json = {
      id: 'PYSEC-1',
      affected: [
        {
          package: { ecosystem: 'PyPI', name: 'jinja2' },
          ranges: [{ type: 'GIT', repo: 'https://git.example', events: [{ introduced: '0' }] }],
        },
      ],
    };
    expect(find([commits])).toEqual([
      'PYSEC-1 jinja2 3.1.4 unknown - the record names commits, and no versions',
    ]);
  });

  it('compares Go modules and the standard library', () => {
    const packages = [
      packageOf('pkg:golang/golang.org/x/net@v0.34.0'),
      packageOf('pkg:golang/stdlib@1.26.1'),
    ];
    const records = [
      record('GO-2025-3503', 'Go', 'golang.org/x/net', range('0', '0.36.0'), {
        aliases: ['CVE-2025-22870'],
      }),
      record('GO-2026-1', 'Go', 'stdlib', range('0', '1.25.9', '1.26.0-0', '1.26.2')),
    ];
    expect(find(records, packages)).toEqual([
      'CVE-2025-22870 golang.org/x/net v0.34.0 fixable 0.36.0',
      'GO-2026-1 stdlib 1.26.1 fixable 1.26.2',
    ]);
  });

  it('reports kinds without data as unchecked', () => {
    const packages = [JINJA, packageOf('pkg:golang/stdlib@1.26.1'), LIBSSL];
    expect(find([record('PYSEC-1', 'PyPI', 'other', [])], packages)).toEqual([
      'unchecked: 1 Debian source package: no --debian file',
      'unchecked: 1 Go package: the --osv data has no record of this kind',
    ]);
  });

  it("uses no OSV record about Debian's packages", () => {
    const records = [record('DSA-1', 'Debian:13', 'openssl', range('0'))];
    const osv = osvOf(records, [LIBSSL]);
    const tracker = trackerOf({ 'CVE-2026-1': tracked('resolved', { fixed_version: '0' }) });
    const report = findCves([imageOf('keystone', [LIBSSL])], { osv, tracker });
    expect(report.findings.map(({ cve }) => cve)).toEqual(['CVE-2026-1']);
  });
});
