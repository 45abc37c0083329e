import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import { testWorkspace } from '../helpers/workspace.ts';

// A clone with the launcher's files, and a source instead of ccp.
let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-start-'));
  mkdirSync(join(root, 'ci'));
  for (const name of ['start.ts', 'bundle-list.ts', 'check-modules.ts'])
    copyFileSync(join(REPOSITORY, 'ci', name), join(root, 'ci', name));
  write('package.json', '{"type":"module"}');
});
afterEach(() => rmSync(root, { recursive: true }));

const command = (...args: readonly string[]) => [join(root, 'ci/start.ts'), ...args];
const main = (text: string): void => write('tools/cli/src/main.ts', text);

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'ends with 130 if %s arrives while modules are loaded',
  async (signal) => {
    write('tools/cli/src/slow.ts', 'await new Promise((done) => setTimeout(done, 60_000));');
    main('process.stderr.write("loading\\n"); await import("./slow.ts");');
    const run = async (...args: readonly string[]) => {
      const child = spawn(process.execPath, command(...args), {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (stderr === '') child.kill(signal);
        stderr += text;
      });
      const [exitCode] = (await once(child, 'close')) as [number | null];
      return { exitCode, stdout, stderr };
    };
    const cancelled = { exitCode: 130, stderr: 'loading\nccp: cancelled\n' };
    expect(await run('plan')).toEqual({ ...cancelled, stdout: '' });
    expect(await run('run', 'x', '--', '--json')).toEqual({ ...cancelled, stdout: '' });
    const { stdout, ...rest } = await run('plan', '--json');
    expect([rest, JSON.parse(stdout)]).toEqual([
      cancelled,
      { errors: [{ code: 'cancelled', message: 'cancelled' }] },
    ]);
  },
);

it('leaves a signal to a command with its own listener', () => {
  main(
    'process.once("SIGTERM", () => process.exit(9)).kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);',
  );
  expect(spawnSync(process.execPath, command()).status).toBe(9);
});

it('ends with 130 if a signal arrives during the work', async () => {
  const workspace = testWorkspace();
  workspace.write('images/base/image.yaml', 'title: B\ndescription: An image.\nroot: a test\n');
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  workspace.write('images/base/files/a', 'a\n');
  expect(await ccp(workspace.root, ['lock'])).toMatchObject({ exitCode: 0 });
  spawnSync('git', ['init', '--quiet'], { cwd: workspace.root });
  workspace.write('bin/git', '#!/bin/sh\nkill -TERM $PPID\nPATH=${PATH#*:} exec git "$@"\n', 0o755);
  const env = { PATH: `${workspace.root}/bin:${process.env['PATH']}` };
  for (const args of [['validate'], ['validate', '--json']]) {
    const { exitCode, stdout, stderr } = await ccp(workspace.root, args, env);
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: 'ccp: cancelled\n' });
    if (args.length > 1) expect(JSON.parse(stdout)).toBeTypeOf('object');
  }
  // A terminal interrupts the child process too, whose failure is not the reason.
  workspace.write('bin/git', '#!/bin/sh\nkill -INT $PPID $$\n', 0o755);
  expect(await ccp(workspace.root, ['validate'], env)).toEqual({
    exitCode: 130,
    stdout: '',
    stderr: 'ccp: cancelled\n',
  });
  workspace.remove();
});
