import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import { packagesInSpdx } from '../packages-in-spdx.ts';
import { parseVexText } from '../vex/parse-vex.ts';
import { parseDebianTracker } from './debian-tracker.ts';
import { parseOsvRecord } from './osv-record.ts';

/** The position and message of the error that `run` throws. */
function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (!(thrown instanceof CcpError)) throw thrown;
    expect(thrown.code).toBe('cve-data-invalid');
    const { file, line, column } = thrown.at ?? {};
    return `${file === undefined ? '' : `${file}:${line}:${column}: `}${thrown.message}`;
  }
  return 'nothing';
}

const tracker = (text: string): string =>
  faultOf(() => parseDebianTracker(text, 'tracker.json', new Set(['openssl', 'constructor'])));
const osv = (text: string): string => faultOf(() => parseOsvRecord(text, 'osv/a.json'));
const about = (releases: string): string => `{"openssl":{"CVE-1":{"releases":${releases}}}}`;

describe('the tracker', () => {
  it.each([
    ['[]', 'tracker.json: it is not an object of source packages'],
    ['{}', 'tracker.json: it has no releases of Debian'],
    ['{"openssl":[]}', 'tracker.json: openssl is not an object'],
    ['{"openssl":{"CVE-1":{}}}', 'tracker.json: openssl.CVE-1.releases is not an object'],
    [about('{"trixie":1}'), 'tracker.json: openssl.CVE-1.releases.trixie is not an object'],
    [about('{"trixie":{}}'), 'tracker.json: openssl.CVE-1.releases.trixie.status is missing'],
    [
      about('{"trixie":{"status":"open","urgency":[]}}'),
      'tracker.json: openssl.CVE-1.releases.trixie.urgency is not a string',
    ],
    [
      about('{"trixie":{"status":"open","repositories":{"trixie":{}}}}'),
      'tracker.json: openssl.CVE-1.releases.trixie.repositories.trixie is not a string',
    ],
  ])('refuses %s', (text, message) => {
    expect(tracker(text)).toBe(message);
  });

  it('names the line and column of invalid JSON', () => {
    expect(tracker('no json')).toMatch(/^tracker\.json:1:1: it is not JSON/);
    expect(tracker('{"a":[1,2}')).toMatch(/^tracker\.json:1:10: it is not JSON/);
    expect(tracker('{"a":{}}\n{}')).toMatch(/^tracker\.json:2:1: it is not JSON/);
    expect(tracker('{\n  "openssl": {,\n}')).toMatch(
      /^tracker\.json:2:15: it is not JSON \(Expected property name/,
    );
    expect(tracker('{"openssl": {')).toMatch(/^tracker\.json:1:14: it is not JSON/);
  });

  it('reads names that objects inherit as packages', () => {
    const text = '{"__proto__":{},"constructor":{"CVE-1":{"releases":{"sid":{"status":"open"}}}}}';
    const { sources } = parseDebianTracker(text, 'tracker.json', new Set(['constructor']));
    expect([...sources.keys()]).toEqual(['constructor']);
  });
});

describe('an OSV record', () => {
  const affected = (text: string): string => `{"id":"A","affected":[${text}]}`;
  it.each([
    ['1', 'osv/a.json: it is not an OSV record: it is not an object'],
    ['{}', 'osv/a.json: id is missing'],
    ['{"id":"A","aliases":[1]}', 'osv/a.json: aliases[0] is not a string'],
    ['{"id":"A","affected":{}}', 'osv/a.json: affected is not a list'],
    [affected('1'), 'osv/a.json: affected[0] is not an object'],
    [affected('{"package":{}}'), 'osv/a.json: affected[0].package has no ecosystem or name'],
    [
      affected('{"package":{"ecosystem":"Go","name":"a"},"ranges":[{"events":[{}]}]}'),
      'osv/a.json: affected[0].ranges[0].events[0] has no known event',
    ],
    [
      affected('{"package":{"ecosystem":"Go","name":"a"},"versions":[1]}'),
      'osv/a.json: affected[0].versions[0] is not a string',
    ],
  ])('is refused: %s', (text, message) => {
    expect(osv(text)).toBe(message);
  });

  it('has no packages of ecosystems with other rules', () => {
    const text = affected('{"package":{"ecosystem":"constructor","name":"a"}}');
    expect(parseOsvRecord(text, 'a')?.affected).toEqual([]);
  });
});

it.each([
  ['{}', 'v.json: @context is not an OpenVEX context'],
  ['{"@context":"https://openvex.dev/ns/v0.2.0"}', 'v.json: statements is not a list'],
  [
    '{"@context":"https://openvex.dev/ns/v0.2.0","statements":[{"status":"fine"}]}',
    'v.json: statements[0].status is not a status of OpenVEX',
  ],
  [
    '{"@context":"https://openvex.dev/ns/v0.2.0","statements":[{"status":"fixed"}]}',
    'v.json: statements[0].vulnerability has no name',
  ],
])('refuses the OpenVEX document %s', (text, message) => {
  expect(faultOf(() => parseVexText(text, 'v.json'))).toBe(message);
});

it('reads package lists, and leaves other packages out', () => {
  const locator = (purl: string) => ({
    externalRefs: [{ referenceType: 'purl', referenceLocator: purl }],
  });
  const text = JSON.stringify({
    packages: [
      locator('pkg:oci/keystone@sha256:1'),
      {
        ...locator('pkg:deb/debian/libssl3t64@1:3.5.1-1%2Bb1?arch=amd64&distro=trixie'),
        sourceInfo: 'built package from: openssl 1:3.5.1-1',
      },
      locator('pkg:golang/golang.org/x/net@v0.36.0'),
      locator('pkg:npm/%40scope/a@1.0.0'),
      locator('pkg:pypi/keystone@29.0.2?vcs_url=git%2Bhttps://git.example/keystone@c'),
      locator('no package URL'),
      {},
    ],
  });
  expect(packagesInSpdx(text, 'spdx').map(({ purl: _, ...each }) => each)).toEqual([
    {
      kind: 'debian',
      name: 'libssl3t64',
      version: '1:3.5.1-1+b1',
      suite: 'trixie',
      source: { name: 'openssl', version: '1:3.5.1-1' },
    },
    { kind: 'go', name: 'golang.org/x/net', version: 'v0.36.0' },
    { kind: 'npm', name: '@scope/a', version: '1.0.0' },
    { kind: 'python', name: 'keystone', version: '29.0.2' },
  ]);
  expect(faultOf(() => packagesInSpdx('{}', 'spdx'))).toBe('spdx: packages is not a list');
});
