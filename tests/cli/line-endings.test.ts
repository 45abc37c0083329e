import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
const run = (...args: readonly string[]) => runInProcess(workspace.root, args);
const message = (file: string): string =>
  `ccp: ${file} has Windows line endings (CRLF), but fingerprints and locks depend on exact bytes\n  -> if git converted the files, add \`* -text\` to .gitattributes and clone the repository again\n`;

function convert(...paths: readonly string[]): void {
  for (const path of paths) {
    const file = join(workspace.root, path);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
  }
}

beforeEach(async () => {
  workspace = testWorkspace();
  workspace.write(
    'images/series.yaml',
    'series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    constraints: constraints.txt\n',
  );
  workspace.write('images/constraints.txt', 'a===1\nb===2\nc===3\n');
  for (const name of ['one', 'two']) {
    workspace.write(
      `images/${name}/image.yaml`,
      `title: ${name}\ndescription: An image.\nroot: a test\n`,
    );
    workspace.write(`images/${name}/Dockerfile.njk`, 'FROM scratch\n');
  }
  expect(await run('lock')).toMatchObject({ exitCode: 0 });
});
afterEach(() => workspace.remove());

it('reports a checkout with Windows line endings in one line', async () => {
  convert(
    'images/series.yaml',
    'images/constraints.txt',
    ...['one', 'two'].flatMap((name) =>
      ['image.yaml', 'Dockerfile.njk', 'lock/2026.1.yaml'].map((file) => `images/${name}/${file}`),
    ),
  );
  for (const command of ['plan', 'lock', 'validate', 'graph'])
    expect(await run(command), command).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: message('images/series.yaml'),
    });
});

it('reports constraints with Windows line endings in one line', async () => {
  convert('images/constraints.txt');
  expect(await run('plan')).toMatchObject({
    exitCode: 2,
    stderr: message('images/constraints.txt'),
  });
});
