import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerFaults } from '../helpers/answer-faults.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

let test: PublishingTest;
let workspace: TestWorkspace;

beforeAll(async () => {
  test = await publishingTest();
  workspace = await test.workspace();
  await describedAnswer('ccp keygen', 'keygen KEY');
  workspace.write('release.pub', readFileSync(join(test.folder, 'release.key.pub'), 'utf8'));
  workspace.write('.ccp.yaml', 'origin: archive\ntrust: [release.pub]\n');
  await test.build(workspace);
});
afterAll(() => test?.close());

/** Runs a command line with `--json`; its answer must match the schema of the command `name`. */
async function describedAnswer(name: string, line: string): Promise<Record<string, unknown>> {
  const words: Readonly<Record<string, string>> = {
    KEY: join(test.folder, 'release.key'),
    PLACE: `${test.registry.address}/ccp`,
    FOLDER: test.folder,
  };
  const args = line.replaceAll(/KEY|PLACE|FOLDER/g, (word) => words[word]!).split(' ');
  const { exitCode, stdout, stderr } = await test.run(workspace, '--json', '-q', ...args);
  expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: expect.any(String) });
  const answer = JSON.parse(stdout) as Record<string, unknown>;
  expect(answerFaults(name, answer), line).toEqual([]);
  return answer;
}

it('describes builds that have nothing to do, or write the image set only', async () => {
  expect(await describedAnswer('ccp build', 'build')).toHaveProperty('images');
  rmSync(join(workspace.root, '.ccp/sets'), { recursive: true });
  expect(await describedAnswer('ccp build', 'build')).toHaveProperty('set.images', 1);
});

it('describes the answers about published image sets', async () => {
  const { digest } = await describedAnswer('ccp publish', 'publish --to PLACE');
  expect(await describedAnswer('ccp sign', `sign ${digest} --to PLACE --key KEY`)).toMatchObject({
    digest,
  });
  expect(await describedAnswer('ccp verify', `verify ${digest} --from PLACE`)).toMatchObject({
    digest,
    images: 1,
  });
  expect(await describedAnswer('ccp plan', 'plan --from PLACE')).toHaveProperty('published');
});

it('describes the answers about releases', async () => {
  await describedAnswer('ccp release create', 'release create 2026.1.0 --to PLACE --key KEY');
  workspace.write('images/base/files/a', 'other\n');
  await test.build(workspace);
  for (const line of [
    'create 2026.1.1 --to PLACE --key KEY',
    'promote 2026.1.0 --to stable --from PLACE --key KEY',
    'promote 2026.1.1 --to stable --from PLACE --key KEY',
    'rollback stable --from PLACE --key KEY',
    'list --from PLACE',
    'show stable --from PLACE',
    'show 2026.1.1 --from PLACE -o FOLDER/set.json',
    'show 2026.1.1 --from PLACE --changelog',
    'diff 2026.1.0 2026.1.1 --from PLACE',
    'verify stable --from PLACE --deep',
    'mirror stable --from PLACE --to PLACE/mirror',
    'bundle stable --from PLACE -o FOLDER/bundle.tar',
  ])
    expect(
      await describedAnswer(`ccp release ${line.split(' ')[0]}`, `release ${line}`),
    ).not.toEqual({});
});
