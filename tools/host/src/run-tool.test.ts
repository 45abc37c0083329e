import { expect, it } from 'vitest';
import { runTool } from './run-tool.ts';

const env = { PATH: process.env['PATH'] };

it('returns output and exit code', async () => {
  await expect(
    runTool('sh', ['-c', 'cat; echo $NAME >&2; pwd; exit 3'], {
      env: { ...env, NAME: 'a' },
      folder: '/',
      input: 'text\n',
    }),
  ).resolves.toEqual({ exitCode: 3, stdout: 'text\n/\n', stderr: 'a\n' });
});

it('accepts a program that ends without reading its input', async () => {
  const input = 'x'.repeat(1 << 20);
  await expect(runTool('true', [], { env, input })).resolves.toMatchObject({ exitCode: 0 });
});

it.each([
  [
    'is not installed',
    'no-such-program',
    {},
    { code: 'tool-missing', message: 'no-such-program is not installed', hint: 'install it' },
  ],
  [
    'runs for too long',
    'sleep',
    { timeoutMs: 50 },
    { code: 'timeout', message: 'sleep took longer than 0.05 s' },
  ],
  [
    'is cancelled',
    'sleep',
    { signal: AbortSignal.abort() },
    { code: 'cancelled', message: 'sleep was stopped' },
  ],
])('throws for a program that %s', async (_, program, options, error) => {
  await expect(
    runTool(program, ['30'], { env, missingHint: 'install it', ...options }),
  ).rejects.toMatchObject(error);
});
