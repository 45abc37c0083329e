import { describe, expect, it } from 'vitest';
import { CcpErrors, digestOf } from '#core';
import { diffFindings } from '../diff-findings.ts';
import { findCves } from '../find-cves.ts';
import { imageOf, LIBSSL, tracked, trackerOf } from '../testing/samples.ts';
import { parseVex, parseVexText } from '../vex/parse-vex.ts';
import { vexDocument } from '../vex/vex-document.ts';
import { applyDecisions, type Decided } from './apply-decisions.ts';
import { parsePolicy, type ReadPolicy } from './policy.ts';

const images = [imageOf('keystone', [LIBSSL]), imageOf('nova', [LIBSSL])];
const { findings } = findCves(images, { tracker: trackerOf({ 'CVE-2026-1000': tracked('open') }) });
const decision = (more = ''): string =>
  `format: 1
author: security@example.org
decisions:
  - cve: CVE-2026-1000
    package: openssl
    status: not-affected
    justification: vulnerable_code_not_in_execute_path
    reason: No image runs the command line tool.
    by: jo@example.org
    reviewed: "2026-11-01"
${more}`;
const ACCEPTED = decision()
  .replace('not-affected', 'accepted')
  .replace(/ +justification.*\n/, '')
  .concat('    expires: "2026-12-31"\n');
const policy = (text: string): ReadPolicy => parsePolicy(text, 'cves.yaml');
const shown = ({ findings: decided }: Decided): readonly string[] =>
  decided.map(({ state, why = '', images: found }) =>
    `${state} ${found.map(({ image }) => image).join('+')} ${why}`.trim(),
  );

describe('decisions', () => {
  it('change the state of a vulnerability', () => {
    const decided = applyDecisions(findings, images, [], policy(decision()), '2026-11-23');
    expect(shown(decided)).toEqual([
      'not-affected keystone+nova vulnerable_code_not_in_execute_path: No image runs the command line tool.',
    ]);
    expect(decided).toMatchObject({ unused: [], expired: [] });
  });

  it('apply to the images that they name', () => {
    const text = decision('    images: [nova]\n');
    expect(shown(applyDecisions(findings, images, [], policy(text), '2026-11-23'))).toEqual([
      'no-fix keystone',
      'not-affected nova vulnerable_code_not_in_execute_path: No image runs the command line tool.',
    ]);
  });

  it('accept a risk until its last day', () => {
    const read = policy(ACCEPTED);
    expect(shown(applyDecisions(findings, images, [], read, '2026-12-31'))).toEqual([
      'accepted keystone+nova accepted until 2026-12-31: No image runs the command line tool.',
    ]);
    const later = applyDecisions(findings, images, [], read, '2027-01-01');
    expect(shown(later)).toEqual(['no-fix keystone+nova']);
    expect(later.expired).toEqual([
      'cves.yaml:4: CVE-2026-1000 of openssl, accepted until 2026-12-31',
    ]);
  });

  it('are reported if they change nothing', () => {
    const read = policy(decision('    kind: python\n'));
    expect(applyDecisions(findings, images, [], read, '2026-11-23').unused).toEqual([
      'cves.yaml:4: CVE-2026-1000 of openssl',
    ]);
  });
});

describe('a policy', () => {
  const faultsOf = (text: string): readonly string[] => {
    try {
      policy(text);
    } catch (thrown) {
      const all = thrown instanceof CcpErrors ? thrown.findings : [thrown as CcpErrors];
      return all.map(({ at, message }) => `${at?.file}:${at?.line}: ${message}`);
    }
    return [];
  };

  it.each([
    [decision().replace(/ +justification.*\n/, ''), 'cves.yaml:6: "justification" is missing'],
    [
      decision('    expires: "2026-12-31"\n'),
      'cves.yaml:11: "expires" is valid only with the status "accepted"',
    ],
    [ACCEPTED.replace(/ +expires.*\n/, ''), 'cves.yaml:6: "expires" is missing'],
    [decision().replace('2026-11-01', '2026-02-30'), 'cves.yaml:10: "2026-02-30" is not a date'],
    [decision().replace(/author.*\n/, ''), 'cves.yaml:2: "author" is missing'],
  ])('is refused with its line', (text, message) => {
    expect(faultsOf(text)).toEqual([message]);
  });

  it('has no unknown keys and states', () => {
    expect(faultsOf('format: 1\nfail: [fixed]\nignore: []\n')).toHaveLength(2);
  });
});

describe('an OpenVEX document', () => {
  const subject = {
    name: 'nova',
    digest: digestOf('nova'),
    purl: `pkg:oci/nova@${digestOf('nova')}?tag=2026.1-1`,
  };
  const document = vexDocument(subject, [LIBSSL], policy(decision()).policy);

  it('has the decisions about packages of the image, with dates of reviews', () => {
    expect(document).toEqual({
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': expect.stringMatching(/^urn:ccp:openvex:sha256:[0-9a-f]{64}$/),
      author: 'security@example.org',
      timestamp: '2026-11-01T00:00:00Z',
      version: 1,
      statements: [
        {
          vulnerability: { name: 'CVE-2026-1000' },
          timestamp: '2026-11-01T00:00:00Z',
          products: [
            {
              '@id': subject.purl,
              identifiers: { purl: subject.purl },
              hashes: { 'sha-256': subject.digest.slice(7) },
              subcomponents: [{ '@id': LIBSSL.purl, identifiers: { purl: LIBSSL.purl } }],
            },
          ],
          status: 'not_affected',
          justification: 'vulnerable_code_not_in_execute_path',
          impact_statement: 'No image runs the command line tool.',
          status_notes: 'reviewed by jo@example.org',
        },
      ],
    });
  });

  it('does not exist without decisions about the image', () => {
    expect(vexDocument(subject, [LIBSSL], policy(ACCEPTED).policy)).toBeUndefined();
    expect(vexDocument(subject, [], policy(decision()).policy)).toBeUndefined();
    const other = policy(decision('    images: [keystone]\n')).policy;
    expect(vexDocument(subject, [LIBSSL], other)).toBeUndefined();
  });

  it('is read back, and applies to its image alone', () => {
    const statements = parseVex(document, 'vex');
    const published = images.map((each) => ({ ...each, vex: statements }));
    expect(shown(applyDecisions(findings, published, [], undefined, '2026-11-23'))).toEqual([
      'no-fix keystone',
      'not-affected nova OpenVEX: vulnerable_code_not_in_execute_path: No image runs the command line tool.',
    ]);
  });

  it('applies to packages of any image, in the form of other tools', () => {
    const text = JSON.stringify({
      '@context': 'https://openvex.dev/ns',
      statements: [
        {
          vulnerability: 'CVE-2026-1000',
          products: ['pkg:deb/debian/libssl3t64@3.5.1-1%2Bb1'],
          status: 'under_investigation',
        },
        {
          vulnerability: { name: 'GHSA-1', aliases: ['CVE-2026-1000'] },
          products: [{ '@id': 'pkg:deb/debian/libssl3t64@3.5.1-1%2Bb1?arch=amd64' }],
          status: 'not_affected',
        },
      ],
    });
    const vex = parseVexText(text, 'vex');
    expect(shown(applyDecisions(findings, images, vex, undefined, '2026-11-23'))).toEqual([
      'not-affected keystone+nova OpenVEX: not_affected',
    ]);
  });

  it('applies until a later statement about a part of its packages', () => {
    const vulnerability = 'CVE-2026-1000';
    const products = [subject.purl];
    const later = [{ '@id': subject.purl, subcomponents: [LIBSSL.purl] }];
    const textOf = (...statements: readonly object[]): string =>
      JSON.stringify({ '@context': 'https://openvex.dev/ns', statements });
    const closed = { vulnerability, products, status: 'not_affected' };
    const open = { vulnerability, products: later, status: 'affected' };
    const statesOf = (text: string): readonly string[] =>
      shown(
        applyDecisions(
          findings,
          images.slice(1),
          parseVexText(text, 'vex'),
          undefined,
          '2026-11-23',
        ),
      );
    expect(statesOf(textOf(open, closed))[1]).toBe('not-affected nova OpenVEX: not_affected');
    expect(statesOf(textOf(closed, open))).toEqual(['no-fix keystone+nova']);
  });

  it('applies to nothing if it names packages of an image in another way', () => {
    const product = {
      '@id': subject.purl,
      subcomponents: [{ identifiers: { cpe23: 'cpe:2.3:a:openssl:openssl:3.5.1:*:*:*:*:*:*:*' } }],
    };
    const text = JSON.stringify({
      '@context': 'https://openvex.dev/ns',
      statements: [{ vulnerability: 'CVE-2026-1000', products: [product], status: 'fixed' }],
    });
    expect(parseVexText(text, 'vex')).toEqual([]);
  });

  it('without an image or a package applies to nothing', () => {
    const text = JSON.stringify({
      '@context': 'https://openvex.dev/ns',
      statements: [
        { vulnerability: 'CVE-2026-1000', products: ['a', 'pkg:oci/b'], status: 'fixed' },
      ],
    });
    expect(parseVexText(text, 'vex')).toEqual([]);
  });
});

it('compares the open vulnerabilities of two sets', () => {
  const other = trackerOf({ 'CVE-2026-2000': tracked('undetermined') });
  const change = { kind: 'debian', package: 'openssl', versions: ['3.5.1-1'] };
  const after = findCves(images.slice(1), { tracker: other }).findings;
  expect(diffFindings(findings, after)).toEqual({
    closed: [{ ...change, cve: 'CVE-2026-1000', images: ['keystone', 'nova'] }],
    opened: [{ ...change, cve: 'CVE-2026-2000', images: ['nova'] }],
  });
  expect(diffFindings(findings, findings)).toEqual({ closed: [], opened: [] });
});
