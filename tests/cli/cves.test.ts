import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256, type Fingerprint } from '#core';
import { packageOfPurl, parsePolicy, vexDocument } from '#cves';
import {
  createRelease,
  imagePurl,
  publishSet,
  publicKeyOf,
  signerOf,
  type ImageSetEntry,
  type Place,
  type Signer,
} from '#release';
import { connectRegistry } from '#store';
import { changelogOf } from '../../tools/cli/src/compose/cves/changelog.ts';
import { writeZip } from '../../tools/locks/src/python/write-zip.ts';
import { memoryImages } from '../../tools/release/src/testing/memory-images.ts';
import { exampleInputs } from '../../tools/release/src/testing/statement-inputs.ts';
import { answerFaults } from '../helpers/answer-faults.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

let test: PublishingTest;
let workspace: TestWorkspace;
let place: Place;
let signer: Signer;

const state = (status: string, more: object = {}) => ({
  releases: {
    trixie: { status, repositories: { trixie: '2.6.10+dfsg-2' }, urgency: 'low', ...more },
  },
});
const TRACKER = {
  openldap: {
    'CVE-2026-1001': state('resolved', { fixed_version: '2.6.10+dfsg-2' }),
    'CVE-2026-1002': state('open', { nodsa: 'Minor issue', nodsa_reason: 'ignored' }),
    'CVE-2026-1003': state('resolved', { fixed_version: '0' }),
  },
};
const OSV = {
  id: 'PYSEC-2026-1',
  aliases: ['CVE-2026-1004'],
  affected: [
    {
      package: { ecosystem: 'PyPI', name: 'Flask-RESTful' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }] }],
    },
  ],
};
const POLICY = `format: 1
author: security@example.org
fail: [fixable, no-fix]
decisions:
  - cve: CVE-2026-1001
    package: openldap
    status: not-affected
    justification: vulnerable_code_not_in_execute_path
    reason: No image runs the server.
    by: jo@example.org
    reviewed: "2026-11-01"
  - cve: PYSEC-2026-1
    package: flask-restful
    status: accepted
    reason: Its callers are administrators.
    by: jo@example.org
    reviewed: "2026-11-01"
    expires: "2999-12-31"
`;

beforeAll(async () => {
  test = await publishingTest();
  workspace = await test.workspace();
  const key = join(test.folder, 'release.key');
  await test.run(workspace, 'keygen', key);
  workspace.write('release.pub', readFileSync(`${key}.pub`, 'utf8'));
  workspace.write('.ccp.yaml', 'origin: archive\ntrust: [release.pub]\n');
  workspace.write('tracker.json', JSON.stringify(TRACKER));
  workspace.write('osv/PyPI/PYSEC-2026-1.json', JSON.stringify(OSV));
  workspace.write('policy.yaml', POLICY);
  // Lines of locks as `ccp lock` writes them; nova is built on base.
  workspace.write(
    'images/base/lock/2026.1.yaml',
    'debian:\n  runtime:\n    - { name: libldap2, version: "2.6.10+dfsg-1", architecture: amd64 }\n',
  );
  workspace.write(
    'images/nova/lock/2026.1.yaml',
    'python:\n  runtime:\n    - { name: flask-restful, version: "0.3.10", kind: wheel }\n',
  );
  const [, host = ''] = /^(?:http:\/\/)?(.+)$/.exec(test.registry.address)!;
  place = { registry: await connectRegistry({ host, plainHttp: true }), prefix: 'cves' };
  const { set, content } = memoryImages(['base', 'nova']);
  signer = signerOf(readFileSync(key, 'utf8'), 'release.key', undefined);
  const { digest } = await publishSet({
    place,
    set,
    content,
    signer,
    keys: [publicKeyOf(readFileSync(`${key}.pub`, 'utf8'), 'release.pub')],
    statements: async () => exampleInputs(),
  });
  await createRelease({ place, digest, series: set.series, version: '2026.1.0', signer });
});
afterAll(() => test?.close());

const cves = (line: string) =>
  test.run(
    workspace,
    'cves',
    ...line
      .replaceAll('PLACE', `${test.registry.address}/cves`)
      .replaceAll('ROOT', workspace.root)
      .split(' '),
  );
const DATA = '--debian ROOT/tracker.json --osv ROOT/osv';

describe('ccp cves of a release', () => {
  it('names package, fixed version, images and lock lines, and fails for a fixable one', async () => {
    const { exitCode, stdout, stderr } = await cves(`2026.1.0 --from PLACE ${DATA}`);
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'CVE-2026-1001  fixable now  debian openldap 2.6.10+dfsg-1 -> 2.6.10+dfsg-2',
      '  packages: libldap2',
      '  images: base, nova',
      '  images/base/lock/2026.1.yaml:3',
      'CVE-2026-1004  without a fix  python flask-restful 0.3.10',
      '  images: base, nova',
      '  images/nova/lock/2026.1.yaml:3',
      'CVE-2026-1002  ignored by Debian  debian openldap 2.6.10+dfsg-1',
      '  Debian: ignored (Minor issue)',
      '  packages: libldap2',
      '  images: base, nova',
      '  images/base/lock/2026.1.yaml:3',
      '2026.1.0, 2 images: 1 fixable now, 1 without a fix, 1 ignored by Debian, 1 not affected',
      'fails because of fixable',
    ]);
    expect(exitCode).toBe(1);
  });

  it('follows a policy, and answers in JSON', async () => {
    const line = `2026.1.0 --from PLACE ${DATA} --policy ROOT/policy.yaml --json`;
    const { exitCode, stdout } = await cves(line);
    const answer = JSON.parse(stdout) as Record<string, unknown>;
    expect(answerFaults('ccp cves', answer)).toEqual([]);
    expect(answer).toMatchObject({
      summary: { fixable: 0, 'no-fix': 0, accepted: 1, 'not-affected': 2 },
      policy: { failed: [], unused: [] },
    });
    expect(exitCode).toBe(0);
  });

  it('lists vulnerabilities that do not affect the images with --all', async () => {
    const { stdout } = await cves(`2026.1.0 --from PLACE ${DATA} --all`);
    expect(stdout).toContain('CVE-2026-1003  not affected  debian openldap');
  });

  it('reads zips of OSV records, and reports kinds without data', async () => {
    mkdirSync(join(workspace.root, 'zips'));
    const zip = writeZip({ 'a.json': JSON.stringify(OSV) });
    writeFileSync(join(workspace.root, 'zips/PyPI.zip'), zip);
    const { exitCode, stdout } = await cves('2026.1.0 --from PLACE --osv ROOT/zips');
    expect(stdout).toContain('CVE-2026-1004  without a fix  python flask-restful 0.3.10');
    expect(stdout).toContain('not checked: 1 Debian source package: no --debian file');
    expect(exitCode).toBe(0);
  });
});

describe('two releases', () => {
  const release = (line: string) =>
    test.run(
      workspace,
      'release',
      ...line
        .replaceAll('PLACE', `${test.registry.address}/cves`)
        .replaceAll('ROOT', workspace.root)
        .split(' '),
    );
  beforeAll(async () => {
    const { set: made, content } = memoryImages(['other', 'nova']);
    const images = made.images.map((entry) => {
      const fingerprint = sha256(`second ${entry.name}`) as string as Fingerprint;
      return { ...entry, fingerprint, version: `2026.1-${fingerprint.slice(0, 32)}` };
    });
    const set = { ...made, images };
    const version = '2.6.10+dfsg-2';
    const purl = 'pkg:deb/debian/libldap2@2.6.10%2Bdfsg-2?arch=amd64&distro=trixie';
    const statements = async () => {
      const { components, installed, ...inputs } = exampleInputs();
      return {
        ...inputs,
        components: components.map((each) =>
          each.kind === 'debian' ? { ...each, version, purl } : each,
        ),
        installed: { ...installed, debian: installed.debian.map((each) => ({ ...each, version })) },
      };
    };
    const options = { place, set, content, signer, keys: [signer.key], statements };
    const { digest, set: published } = await publishSet(options);
    const next = '2026.1.1';
    const changelog = await changelogOf(place, next, published, [signer.key]);
    if (typeof changelog === 'string') throw new Error(changelog);
    await createRelease({ place, digest, series: set.series, version: next, signer, changelog });
  });

  const PACKAGE = 'debian libldap2: 2.6.10+dfsg-1 -> 2.6.10+dfsg-2 (nova)';

  it('are compared by packages, and by CVEs that the second one closes', async () => {
    const { stdout, stderr } = await release(`diff 2026.1.0 2026.1.1 --from PLACE ${DATA}`);
    expect(stderr).toBe('');
    const lines = stdout.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'base removed, -1 kB',
      'nova changed',
      'other added, +1 kB',
    ]);
    expect(lines).toContain(`  ${PACKAGE}`);
    expect(lines.slice(lines.indexOf('1 CVE closed'))).toEqual([
      '1 CVE closed',
      '  CVE-2026-1001  debian openldap 2.6.10+dfsg-1  base, nova',
      '0 CVEs opened',
    ]);
  });

  it('are compared with a warning about packages without data', async () => {
    const line = 'diff 2026.1.0 2026.1.1 --from PLACE --debian ROOT/tracker.json';
    const { exitCode, stdout, stderr } = await release(line);
    expect(stdout).toContain('1 CVE closed');
    expect(stderr).toBe('not checked: 2 Python packages: no --osv data');
    expect(exitCode).toBe(0);
  });

  it('have a signed changelog', async () => {
    expect((await release('show 2026.1.0 --from PLACE --changelog')).stderr).toContain(
      '2026.1.0 has no signed changelog',
    );
    const { stdout } = await release('show 2026.1.1 --from PLACE --changelog');
    expect(stdout.split('\n')[0]).toBe('changes of 2026.1.1 since 2026.1.0:');
    expect(stdout).toContain(PACKAGE);
  });
});

it("reads the publisher's OpenVEX documents", async () => {
  const { set, content } = memoryImages(['base', 'nova']);
  const registry = { ...place, prefix: 'vex' };
  const { policy } = parsePolicy(POLICY, 'policy.yaml');
  const statements = async (entry: ImageSetEntry) => {
    const subject = { ...entry, purl: imagePurl(entry) };
    const inputs = exampleInputs();
    const packages = inputs.components.flatMap(({ purl }) => packageOfPurl(purl) ?? []);
    const named = packages.map((each) =>
      each.kind === 'debian'
        ? { ...each, source: { name: 'openldap', version: each.version } }
        : each,
    );
    const vex = entry.name === 'nova' ? vexDocument(subject, named, policy) : undefined;
    return { ...inputs, ...(vex === undefined ? {} : { vex }) };
  };
  const options = { place: registry, set, content, signer, keys: [signer.key], statements };
  const { digest } = await publishSet(options);
  const line = `${digest} --from PLACE ${DATA}`.replace('PLACE', `${test.registry.address}/vex`);
  const { stdout } = await cves(`${line} --all`);
  expect(stdout).toContain(
    'CVE-2026-1001  not affected  debian openldap 2.6.10+dfsg-1 -> 2.6.10+dfsg-2\n  OpenVEX: vulnerable_code_not_in_execute_path: No image runs the server.\n  packages: libldap2\n  images: nova\n',
  );
  expect(stdout).toContain(
    'CVE-2026-1001  fixable now  debian openldap 2.6.10+dfsg-1 -> 2.6.10+dfsg-2\n  packages: libldap2\n  images: base\n',
  );
});

it('reads a bundle', async () => {
  const file = join(test.folder, 'bundle.tar');
  const from = `${test.registry.address}/cves`;
  await test.run(workspace, 'release', 'bundle', '2026.1.0', '--from', from, '-o', file);
  const { stdout } = await cves(`${file} ${DATA}`);
  expect(stdout.split('\n').slice(-2)).toEqual([
    '2026.1.0, 2 images: 1 fixable now, 1 without a fix, 1 ignored by Debian, 1 not affected',
    'fails because of fixable',
  ]);
});

describe('ccp cves refuses', () => {
  it.each([
    ['2026.1.0 --from PLACE', '--debian or --osv is missing\n  > name Debian'],
    [`nothing ${DATA}`, 'nothing is neither a site nor a file'],
    [`--from PLACE ${DATA}`, 'the name of the published set is missing'],
    ['2026.1.0 --from PLACE --osv ROOT/none', 'cannot read ROOT/none: no such file or folder'],
    ['2026.1.0 --from PLACE --osv ROOT/images/base/files', 'no OSV record'],
    ['2026.1.0 --from PLACE --debian ROOT/policy.yaml', 'ROOT/policy.yaml:1:1: it is not JSON'],
    ['2026.1.0 --from PLACE --debian ROOT/tracker.json --policy ROOT/tracker.json', 'tracker.json'],
  ])('%s', async (line, text) => {
    const { exitCode, stdout, stderr } = await cves(line);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(text.replaceAll('ROOT', workspace.root).split('\n')[0]);
  });
});
