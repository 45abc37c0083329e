import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseImageSet } from '#release';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

let test: PublishingTest;
let builder: TestWorkspace;
let other: TestWorkspace;
let key: string;

const run: PublishingTest['run'] = (workspace, ...args) => test.run(workspace, ...args);
const place = (path: string): string => `${test.registry.address}/${path}`;

beforeAll(async () => {
  test = await publishingTest();
  [builder, other] = [await test.workspace(), await test.workspace()];
  key = join(test.folder, 'release.key');
  await test.build(builder);
  expect(await run(builder, 'keygen', key)).toEqual({
    exitCode: 0,
    stdout: `${key} and ${key}.pub written`,
    stderr: `${key} is not encrypted: keep it secret`,
  });
});

afterAll(() => test.close());

it('builds nothing if a trusted publisher has the images', async () => {
  const published = await run(builder, 'publish', '--to', place('a'), '--key', key);
  expect(published).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^1 image of 2026\.1 published, 1 new \(\d+ kB uploaded\)\nimage set: .*\/a\/ccp\.sets:2026\.1-[0-9a-f]{32} \(sha256:[0-9a-f]{64}\)$/,
    ),
  });
  expect(published.stderr.split('\n')).toEqual([
    'making statements about 1 image',
    `looking for 1 image in ${place('a')}`,
    'uploading 1 image',
    'signing 1 image',
  ]);
  expect((await run(builder, 'publish', '--to', place('a'), '--key', key)).stdout).toContain(
    '1 image of 2026.1 published, 0 new (0 kB uploaded)',
  );
  const tag = /ccp\.sets:(\S+)/.exec(published.stdout)![1]!;
  const from = ['--from', place('a')];
  expect(await run(other, 'verify', tag, ...from, '--trust', `${key}.pub`)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`${tag} is signed by ${key}.pub and complete: 1 image of`),
  });
  expect(await run(other, 'build', ...from)).toMatchObject({
    exitCode: 6,
    stderr: `ccp: ${place('a')} is not trusted: no key is trusted\n  -> name the publisher's public key with --trust, or in \`trust\` of .ccp.yaml; a publisher signs with \`ccp publish --key FILE\` or \`ccp sign\``,
  });
  other.write('release.pub', readFileSync(`${key}.pub`, 'utf8'));
  other.write('.ccp.yaml', 'origin: archive\ntrust: [release.pub]\n');
  expect((await run(other, 'plan', ...from)).stdout).toContain(
    `\n${place('a')} has base; \`ccp build --from ${place('a')}\` fetches instead of building`,
  );
  expect(await run(other, 'build', ...from)).toMatchObject({ exitCode: 0 });
  const setOf = (workspace: TestWorkspace) =>
    parseImageSet(readFileSync(join(workspace.root, '.ccp/sets/2026.1.json'), 'utf8'), 'set');
  expect(setOf(other)).toEqual(setOf(builder));
});

it('refuses images that nobody signed, until they are signed', async () => {
  const published = await run(builder, 'publish', '--to', place('b'));
  expect(published.stdout).toContain(
    '\nnot signed: other workspaces cannot use the images without --key\n',
  );
  const tag = /ccp\.sets:(\S+)/.exec(published.stdout)![1]!;
  const verify = () => run(other, 'verify', tag, '--from', place('b'), '--trust', `${key}.pub`);
  expect(await verify()).toMatchObject({
    exitCode: 6,
    stderr: expect.stringMatching(
      /ccp\.sets@sha256:[0-9a-f]{64} is not trusted: it is not signed\n/,
    ),
  });
  const sign = (set: string) => run(builder, 'sign', set, '--to', place('b'), '--key', key);
  const digest = /\((sha256:\S+)\)$/.exec(published.stdout)![1]!;
  expect(await sign(tag)).toEqual({
    exitCode: 6,
    stdout: '',
    stderr: `ccp: ${place('b')}/ccp.sets@${digest} is not trusted: it is not signed\n  -> name the set by the digest that \`ccp publish\` printed, or a key that signed it with --trust`,
  });
  expect(await sign(`sha256:${'0'.repeat(64)}`)).toMatchObject({
    exitCode: 6,
    stderr: expect.stringMatching(/ccp\.sets has no image set sha256:0+\n/),
  });
  expect(await sign(digest)).toMatchObject({ exitCode: 0 });
  expect(await sign(tag)).toMatchObject({ exitCode: 0 });
  expect(await verify()).toMatchObject({ exitCode: 0 });
  expect(await run(other, 'verify', 'none', '--from', place('b'))).toMatchObject({
    exitCode: 6,
    stderr: `ccp: ${place('b')}/ccp.sets has no image set none\n  -> publish it with \`ccp publish\`, or list releases with \`ccp release list\``,
  });
});

it('refuses statements about images whose inputs changed, and publishes without them', async () => {
  builder.write('images/base/files/a', 'changed\n');
  expect(await run(builder, 'publish', '--to', place('c'))).toEqual({
    exitCode: 3,
    stdout: '',
    stderr:
      'ccp: the inputs of base changed after the image set was built\n  -> build the set again with `ccp build --series 2026.1`, or publish with --no-statements',
  });
  expect(await run(builder, 'publish', '--to', place('c'), '--no-statements')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('1 image of 2026.1 published, 1 new'),
  });
});
