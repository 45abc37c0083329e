import { describe, expect, it } from 'vitest';
import type { Json } from '#core';
import { findCves } from './find-cves.ts';
import { imageOf, osvOf, packageOf } from './testing/samples.ts';
import real from './testing/real-osv-records.json' with { type: 'json' };

/** Expected states follow from the rules of PEP 440 and of semantic versions, by hand. */
describe('real records of OSV', () => {
  it.each([
    [
      'an open range hits every later version, although the listed versions end long before',
      'pkg:pypi/nova@33.0.2',
      ['CVE-2012-3447 no-fix -'],
    ],
    ['a version before a fix', 'pkg:pypi/cryptography@41.0.5', ['CVE-2023-49083 fixable 41.0.6']],
    ['the fixed version', 'pkg:pypi/cryptography@41.0.6', []],
    ['a version before the first affected one', 'pkg:pypi/cryptography@3.0', []],
    [
      'a candidate of the fixed version is before it',
      'pkg:pypi/cryptography@41.0.6rc1',
      ['CVE-2023-49083 fixable 41.0.6'],
    ],
    [
      'a fix that has a pseudo-version is before every release',
      'pkg:golang/golang.org/x/sys@v0.38.0',
      [],
    ],
    [
      'pseudo-versions are ordered by their time',
      'pkg:golang/golang.org/x/sys@v0.0.0-20220330033206-e17cdc41300f',
      ['CVE-2022-29526 fixable 0.0.0-20220412211240-33da011f77ad'],
    ],
    ['the first of two ranges', 'pkg:golang/stdlib@1.21.8', ['CVE-2023-45288 fixable 1.21.9']],
    ['between two ranges', 'pkg:golang/stdlib@1.21.9', []],
    [
      'a range that starts with a candidate',
      'pkg:golang/stdlib@1.22.0-rc.1',
      ['CVE-2023-45288 fixable 1.22.2'],
    ],
    ['the end of the last range', 'pkg:golang/stdlib@1.22.2', []],
    [
      'a record without a CVE has its own name',
      'pkg:golang/github.com/klauspost/compress@v1.18.5',
      ['GO-2026-5841 fixable 1.18.7'],
    ],
  ])('%s: %s', (_, purl, expected) => {
    const packages = [packageOf(purl)];
    const { findings } = findCves([imageOf('sample', packages)], {
      osv: osvOf(real.records, packages),
    });
    const shown = findings
      .filter(({ state }) => state !== 'not-affected')
      .map(({ cve, state, fixed }) => `${cve} ${state} ${fixed ?? '-'}`);
    expect(shown).toEqual(expected);
  });

  it('ignores a withdrawn record', () => {
    const record = real.records.find(({ id }) => id === 'GO-2022-0617')!;
    const packages = [packageOf('pkg:golang/k8s.io/kubernetes@v1.35.0')];
    const find = (osv: readonly Json[]): number =>
      findCves([imageOf('sample', packages)], { osv: osvOf(osv, packages) }).findings.length;
    const { withdrawn, ...valid } = record as typeof record & { readonly withdrawn: string };
    expect([withdrawn, find([record]), find([valid])]).toEqual(['2024-08-21T16:25:56Z', 0, 1]);
  });
});
