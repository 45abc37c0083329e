import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CcpError, codeOf, imageName, sha256 } from '#core';
import { readWorkspace, seriesOf } from '#definitions';
import { buildGraph } from '#graph';
import { writeLock, type DebianPackage } from '#locks';
import { memoryMemo } from '#ports/testing';
import { openImageContext } from '../../tools/cli/src/compose/inputs.ts';
import {
  checkApps,
  openProject,
  planLocked,
  planProject,
} from '../../tools/cli/src/compose/plan.ts';
import { exitCodeFor } from '../../tools/cli/src/report/exit-codes.ts';
import { requestOf } from '../../tools/locks/src/check-locks.ts';
import { appText } from '../../tools/site/src/testing/site-input.ts';
import { beforeEachRead } from '../helpers/before-each-read.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const BASE = 'title: Base\ndescription: x\nroot: a test\nnpm: { packages: [one] }\n';
const SERVICE = `title: Service
description: x
user: { name: service, uid: 1000, gid: 1000, home: /nonexistent }
parents: { base: base }
debian: { runtime: { on: base, packages: [curl] } }
sources: { code: { repository: "https://git.example/code", refs: { "2026.1": "1.0" }, patches: [a.patch] } }
python: { packages: [six] }
`;
const SERIES =
  'series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    constraints: _shared/2026.1.txt\n';
const patch = (line: string): string => `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+${line}\n`;
const npmLock = (version: string): string =>
  JSON.stringify({ packages: { 'node_modules/one': { version, integrity: 'sha512-x' } } });

/**
 * File -> its content, and the content that is written into it while it is read, for the lock
 * `locks`.
 */
const CHANGES = {
  '.ccp.yaml': ['origin: archive\njobs: 2\n', 'origin: git\njobs: 2\n'],
  'images/series.yaml': [SERIES, SERIES.replace('trixie', 'bookworm')],
  'images/_shared/2026.1.txt': ['six===1\n', 'six===2\n'],
  'images/_shared/macros.njk': [
    '{% macro m() %}one{% endmacro %}',
    '{% macro m() %}two{% endmacro %}',
  ],
  'images/service/image.yaml': [SERVICE, `${SERVICE}labels: { a: b }\n`],
  'images/service/Dockerfile.njk': [
    '{% import "_shared/macros.njk" as shared %}ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nENV A={{ shared.m() }}\n',
    '{% import "_shared/macros.njk" as shared %}ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nENV B={{ shared.m() }}\n',
  ],
  'images/service/files/etc/a': ['one', 'two'],
  'images/service/patches/a.patch': [patch('b'), patch('c')],
  'images/service/app.yaml': [
    appText('service'),
    appText('service').replace('replicas', 'replica'),
  ],
  'package-lock.json': [npmLock('1.0.0'), npmLock('2.0.0')],
  'images/service/lock/2026.1.yaml': ['', ''],
  'site/overlay.yaml': ['base: ..\n', 'base: ..\nseries: { "2026.1": { images: [base] } }\n'],
  'site/images/service/overlay.yaml': ['labels: { a: b }\n', 'labels: { a: c }\n'],
} as const satisfies Record<string, readonly [string, string]>;

let workspace: TestWorkspace;
/** Contents of the lock before and after. */
let locks: readonly [string, string];

beforeAll(() => {
  workspace = testWorkspace();
  for (const [path, [text]] of Object.entries(CHANGES))
    if (text !== '') workspace.write(path, text);
  workspace.write('images/base/image.yaml', BASE);
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\n');
  workspace.write('site/.ccp.yaml', 'origin: archive\n');
  lock('base', '1');
  locks = [lock('service', '1'), lock('service', '2')];
  lock('service', '1');
});
afterAll(() => workspace.remove());

/** Writes an up-to-date lock with one Debian package of that version, and returns its text. */
function lock(name: string, version: string): string {
  const memo = memoryMemo();
  const definitions = readWorkspace(workspace.root, memo);
  const series = seriesOf(definitions, '2026.1');
  const graph = buildGraph(definitions, series.name);
  const image = imageName(name);
  const curl: DebianPackage = {
    name: 'curl',
    version,
    architecture: 'amd64',
    archive: 'debian',
    pool: 'pool/main/c/curl.deb',
    size: 1,
    sha256: sha256(version),
  };
  const code = {
    repository: 'https://git.example/code',
    ref: '1.0',
    commit: 'a'.repeat(40),
    version: '1.0',
    submodules: [],
  };
  writeLock(graph.images.get(image)!, {
    format: 1,
    image,
    series: series.name,
    request: requestOf(graph, series, image, memo),
    debian: name === 'base' ? {} : { runtime: [curl] },
    python: { runtime: [], build: [] },
    ...(name === 'base' ? { npm: [] } : {}),
    sources: name === 'base' ? {} : { code },
  });
  return readFileSync(join(workspace.root, 'images', name, 'lock/2026.1.yaml'), 'utf8');
}

function changeOf(name: string): readonly [string, string] {
  return name.includes('/lock/') ? locks : CHANGES[name as keyof typeof CHANGES];
}

/** Ways to change a file: steps in order, each between two reads of it. */
const WAYS: Readonly<Record<string, (path: string, text: string) => readonly (() => void)[]>> = {
  'replaced, as editors do': (path, text) => [() => replace(path, text)],
  'written in place': (path, text) => [() => truncateSync(path), () => writeFileSync(path, text)],
  'removed and created again': (path, text) => [
    () => rmSync(path),
    () => writeFileSync(path, text),
  ],
};

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** The result before a build: all fingerprints, or the code of the error. */
async function outcome(root: string): Promise<string> {
  try {
    const project = openProject(root, undefined);
    const plan = planProject(project, []);
    await checkApps(project, plan);
    return [
      plan.origin,
      ...plan.images.map(({ image, fingerprint }) => `${image} ${fingerprint}`),
    ].join('\n');
  } catch (thrown) {
    if (!(thrown instanceof CcpError) || exitCodeFor(thrown.code) === undefined) throw thrown;
    return thrown.code;
  }
}

describe.each(Object.keys(CHANGES))('a plan while %s is', (name) => {
  it.each(Object.keys(WAYS))(
    '%s is one of a state that the file was in, and so is what is remembered',
    async (way) => {
      const path = join(workspace.root, name);
      const root = join(workspace.root, name.startsWith('site/') ? 'site' : '.');
      const [text, other] = changeOf(name);
      const forget = (): void => rmSync(join(root, '.ccp'), { recursive: true, force: true });
      replace(path, text);
      const steps = WAYS[way]!(path, other);
      const states = [await outcome(root)];
      for (const step of steps) {
        step();
        forget();
        states.push(await outcome(root));
      }
      let at = 1;
      for (; ; at++) {
        forget();
        replace(path, text);
        let reads = 0;
        const raced = await beforeEachRead(
          path,
          () => steps[++reads - at]?.(),
          () => outcome(root),
        );
        if (reads < at) break;
        steps.slice(Math.max(0, reads - at + 1)).forEach((step) => step());
        if (raced !== 'file-changed') expect.soft(states, `before read ${at}`).toContain(raced);
        // A refused file is not remembered.
        if (!existsSync(join(root, '.ccp/memo'))) continue;
        expect.soft(await outcome(root), `remembered, before read ${at}`).toBe(states.at(-1));
        replace(path, text);
        expect
          .soft(await outcome(root), `remembered of what was, before read ${at}`)
          .toBe(states[0]);
      }
      expect(at).toBeGreaterThan(2);
      expect(new Set(states).size, states.join('\n\n')).toBeGreaterThan(1);
    },
  );
});

describe.each([
  'images/service/lock/2026.1.yaml',
  'images/service/Dockerfile.njk',
  'images/_shared/macros.njk',
  'images/service/patches/a.patch',
] as const)('a context, while %s is', (name) => {
  it.each(Object.keys(WAYS))(
    '%s is what was planned, or refused by an error of ours',
    async (way) => {
      const path = join(workspace.root, name);
      const [text, other] = changeOf(name);
      const steps = WAYS[way]!(path, other);
      replace(path, text);
      const project = openProject(workspace.root, undefined);
      const planned = planProject(project, ['service']).images.at(-1)!.record;
      const codes: (string | undefined)[] = [];
      for (let at = 1; ; at++) {
        let reads = 0;
        replace(path, text);
        const code = await beforeEachRead(
          path,
          () => steps[++reads - at]?.(),
          () => openImageContext(project, planned, 'archive').then(() => 'opened', codeOf),
        );
        codes.push(code);
        if (reads < at) break;
      }
      expect(codes.at(-1)).toBe('opened');
      expect(codes.some((code) => code !== 'opened')).toBe(true);
      expect(
        codes.filter(
          (code) => code !== 'opened' && (code === undefined || exitCodeFor(code) === undefined),
        ),
      ).toEqual([]);
    },
  );
});

it.each([
  ['service', ['base']],
  ['base', []],
])(
  'keeps the other images of the set if the template of %s breaks during a build',
  async (name, images) => {
    const path = join(workspace.root, 'images', name, 'Dockerfile.njk');
    const text = readFileSync(path, 'utf8');
    const project = openProject(workspace.root, undefined);
    planProject(project, []);
    writeFileSync(path, '{% if');
    expect(planLocked(project).images.map(({ image }) => image)).toEqual(images);
    writeFileSync(path, text);
  },
);
