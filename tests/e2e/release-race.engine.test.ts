import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ccp, type CommandResult } from '../helpers/ccp.ts';
import { startDebianRegistry, type DebianRegistry } from '../helpers/e2e/debian-registry.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

// Processes of two workspaces with different sets, in registries with and without a referrers API.
let test: PublishingTest;
let debian: DebianRegistry;
let builders: readonly TestWorkspace[];
let key: string;

beforeAll(async () => {
  test = await publishingTest();
  debian = await startDebianRegistry(join(test.folder, 'debian'));
  key = join(test.folder, 'release.key');
  builders = [await test.workspace(), await test.workspace()];
  await test.run(builders[0]!, 'keygen', key);
  builders[1]!.write('images/base/files/a', 'other\n');
  for (const builder of builders) await test.build(builder);
});
afterAll(async () => {
  await debian?.close();
  await test?.close();
});

describe.each([
  ['docker-registry', () => debian.address],
  ['the embedded registry', () => test.registry.address],
])('ccp release create in %s', (_, address) => {
  const place = (): string => `${address()}/race`;
  const run = (builder: TestWorkspace, ...args: readonly string[]): Promise<CommandResult> =>
    ccp(builder.root, ['release', ...args], {
      CCP_CACHE: join(test.folder, 'cache'),
      DOCKER_CONFIG: test.folder,
    });
  const create = (builder: TestWorkspace, version: string): Promise<CommandResult> =>
    run(builder, 'create', version, '--to', place(), '--key', key);
  const list = async (): Promise<string> =>
    (await run(builders[0]!, 'list', '--from', place(), '--trust', `${key}.pub`)).stdout;

  it('creates each version for one of two sets', async () => {
    for (const version of ['2026.1.0', '2026.1.1', '2026.1.2']) {
      const runs = await Promise.all(builders.map((builder) => create(builder, version)));
      expect(runs.map(({ exitCode }) => exitCode).sort(), JSON.stringify(runs)).toEqual([0, 6]);
      expect(runs.find(({ exitCode }) => exitCode === 6)?.stderr).toMatch(
        /another run (?:creates|released) |a released name never moves/,
      );
      const winner = runs.find(({ exitCode }) => exitCode === 0)!;
      const digest = /@(sha256:[0-9a-f]{64})/.exec(winner.stdout)?.[1];
      const trust = ['--from', place(), '--trust', `${key}.pub`, '--json'];
      const { stdout } = await run(builders[0]!, 'verify', version, ...trust);
      expect(JSON.parse(stdout)).toMatchObject({ version, digest });
    }
  });

  it('creates two versions one after the other, or refuses one', async () => {
    const runs = await Promise.all([
      create(builders[0]!, '2026.1.3-rc.1'),
      create(builders[1]!, '2026.1.3'),
    ]);
    const codes = runs.map(({ exitCode }) => exitCode);
    expect(codes, JSON.stringify(runs)).toContain(0);
    for (const { exitCode, stderr } of runs)
      if (exitCode !== 0) {
        expect(exitCode).toBe(6);
        expect(stderr).toMatch(/another run (?:creates|released) |is not the next version/);
      }
    const next = codes[1] === 0 ? '2026.1.4' : '2026.1.3';
    expect(await create(builders[1]!, next)).toMatchObject({ exitCode: 0 });
    const lines = (await list()).trimEnd().split('\n');
    expect(lines).toHaveLength(3 + 1 + codes.filter((code) => code === 0).length);
    expect(lines.filter((line) => !line.includes(' verified '))).toEqual([]);
  });
});
