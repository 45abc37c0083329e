import { afterAll, beforeAll, expect, it } from 'vitest';
import { fencedBlocks, readPage } from '../repository/doc-pages.ts';
import { ccp, REPOSITORY, type CommandResult } from '../helpers/ccp.ts';
import { debianMirror, type DebianMirror } from '../helpers/debian/debian-mirror.ts';
import { lockedPackages, updated } from '../helpers/debian/repository-mirror.ts';
import { testPackage } from '../helpers/debian/test-package.ts';
import { linkStore } from '../helpers/link-store.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

// Writes the files and runs the commands of the guide. The mirror is a local one, which dropped
// every version that the base image locks, as after an update of Debian.
const PAGE = 'docs/guides/image-author.md';
const steps = sectionOf(readPage(REPOSITORY, PAGE), '## Add an image in four steps')
  .split(/^(?=\d\. )/m)
  .slice(1);
let workspace: TestWorkspace;
let mirror: DebianMirror;

beforeAll(async () => {
  workspace = testWorkspace();
  mirror = await debianMirror(['trixie'], workspace.root);
  const redis = await testPackage('redis-server', '5:8.0.2-3', {
    source: 'redis',
    fields: ['Depends: libc6 (>= 2.38)'],
    programs: { 'usr/bin/redis-server': '#!/bin/sh\necho "Redis server v=8.0.2"\n' },
  });
  mirror.publish([...updated(await lockedPackages(['debian-base'])), redis]);
  workspace.write('.ccp.yaml', `origin: archive\n${mirror.settings}`);
  workspace.take('images/debian-base', 'images/series.yaml', 'images/_shared');
  linkStore(workspace.root);
});

afterAll(async () => {
  await mirror.close();
  workspace.remove();
});

it('adds an image with the four steps of the guide', async () => {
  expect(steps).toHaveLength(4);
  const results: CommandResult[] = [];
  for (const step of steps) {
    const [, path] = /`(images\/\S+)`/.exec(step) ?? [];
    for (const { language, text } of fencedBlocks(step)) {
      if (language === 'sh') results.push(...(await runLines(text)));
      else workspace.write(path as string, `${text}\n`);
    }
  }
  const [locked, built, shown] = results as [CommandResult, CommandResult, CommandResult];
  expect(results).toHaveLength(3);
  expect(locked.stdout).toContain('images/redis/lock/2026.1.yaml: new');
  expect(built.stdout).toMatch(/^redis +2026\.1-\S+ +built/m);
  expect(shown.stdout).toMatch(/^Redis server v=/);
});

/** Runs each line of a block; every line is a `./ccp` command. */
async function runLines(block: string): Promise<readonly CommandResult[]> {
  const results: CommandResult[] = [];
  for (const line of block.split('\n')) {
    const [program, ...args] = line.split(' ');
    expect(program).toBe('./ccp');
    const result = await ccp(workspace.root, args, { CCP_YES: '1' });
    expect(result, `${line}\n${result.stderr}`).toMatchObject({ exitCode: 0 });
    results.push(result);
  }
  return results;
}

function sectionOf(page: string, heading: string): string {
  const start = page.indexOf(`\n${heading}\n`);
  const end = page.indexOf('\n## ', start + 1);
  return page.slice(start, end);
}
