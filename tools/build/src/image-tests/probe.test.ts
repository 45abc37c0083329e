import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandScript, type ScriptedCommand } from './command-script.ts';
import { parseCommands, type CommandResult } from './probe-records.ts';
import { pythonFindings } from './python-check.ts';

const PROBE = join(import.meta.dirname, 'probe.py');

function pythonFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-probe-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function probe(
  folder: string,
  request: {
    readonly imports: readonly string[];
    readonly consistent: boolean;
    readonly provided: readonly string[];
  },
): string {
  return execFileSync('python3', ['-B', '-P', PROBE, JSON.stringify(request)], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: folder },
  });
}

describe('probe.py', () => {
  it('imports a package and its submodules except tests, and reports failures with the reason', () => {
    const folder = pythonFolder({
      'svc/__init__.py': 'print("noise")',
      'svc/good.py': '',
      'svc/bad.py': 'import nowhere_to_be_found',
      'svc/also.py': 'import nowhere_to_be_found',
      'svc/api/__init__.py': '',
      'svc/api/exits.py': 'raise SystemExit(2)',
      'svc/api/known.py': '1/0',
      'svc/tests/__init__.py': '1/0',
      'svc/test_x.py': '1/0',
      'svc/__main__.py': '1/0',
    });
    const output = probe(folder, { imports: ['svc'], consistent: false, provided: [] });
    expect(
      pythonFindings(
        { exitCode: 0, output },
        { importExceptions: { 'svc.api.known': 'needs a running service' } },
      ).map(({ message }) => message),
    ).toEqual([
      "cannot import svc.also, svc.bad: ModuleNotFoundError: No module named 'nowhere_to_be_found'",
      'cannot import svc.api.exits: SystemExit: 2',
    ]);
  });

  it('checks the requirements of installed projects, with markers and extras', () => {
    const dist = (name: string, version: string, ...requires: readonly string[]) => ({
      [`${name}-${version}.dist-info/METADATA`]: [
        'Metadata-Version: 2.1',
        `Name: ${name}`,
        `Version: ${version}`,
        ...requires.map((line) => `Requires-Dist: ${line}`),
        '',
      ].join('\n'),
    });
    const folder = pythonFolder({
      ...dist(
        'ccp_a',
        '1.0',
        'ccp.b[fast]>=2',
        'ccp-c<3,>1',
        'ccp-none; python_version < "3"',
        'ccp-debian>1',
        'ccp-gone',
        'ccp-extra; extra == "unused"',
      ),
      ...dist('ccp_b', '2.0', 'ccp-d; extra == "fast"'),
      ...dist('ccp_c', '3.0'),
    });
    const output = probe(folder, { imports: [], consistent: true, provided: ['ccp_debian'] });
    expect(
      pythonFindings({ exitCode: 0, output }, { importExceptions: {} })
        .map(({ message }) => message)
        .filter((message) => message.startsWith('ccp')),
    ).toEqual([
      'ccp-a requires ccp-c<3,>1, but the image has 3.0',
      'ccp-a requires ccp-gone, but it is not installed',
      'ccp-b requires ccp-d, but it is not installed',
    ]);
  });

  it('reports the module that ended the interpreter', () => {
    const folder = pythonFolder({ 'crash.py': 'import os; os._exit(7)' });
    let output = '';
    try {
      probe(folder, { imports: ['crash'], consistent: false, provided: [] });
    } catch (thrown) {
      output = (thrown as { readonly stdout: string }).stdout;
    }
    expect(
      pythonFindings({ exitCode: 7, output }, { importExceptions: {} }).map(
        ({ message }) => message,
      ),
    ).toEqual([
      'Python exited with code 7 while importing crash; its last output is "{\\"importing\\": \\"crash\\"}"',
    ]);
  });
});

describe('commandScript', () => {
  const ran = (commands: readonly ScriptedCommand[]): readonly CommandResult[] =>
    parseCommands(
      execFileSync(
        '/bin/sh',
        ['-c', commandScript(commands, mkdtempSync(join(tmpdir(), 'ccp-output-')))],
        { encoding: 'utf8', maxBuffer: 1 << 23 },
      ),
    );

  it('runs all commands, with any arguments and any exit code', () => {
    const results = ran([
      { run: ['printf', '%s|', "it's", '$HOME', 'a b'], seconds: 5 },
      { run: ['sh', '-c', 'echo out; echo err >&2; exit 3'], seconds: 5 },
      { run: ['ccp-no-such-program'], seconds: 5 },
      { run: ['sleep', '5'], seconds: 0.1 },
      { run: ['cat'], seconds: 5 },
    ]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 3, 127, 124, 0]);
    expect(results.slice(0, 2).map(({ output }) => output)).toEqual([
      "it's|$HOME|a b|",
      'out\nerr',
    ]);
  });

  it('keeps the end of very long output', () => {
    const [result] = ran([{ run: ['sh', '-c', 'yes | head -c 40000000; echo END'], seconds: 20 }]);
    expect(result).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^y\n[y\n]*\nEND$/),
    });
    expect(result!.output.length).toBeLessThan(3_000_000);
  });

  it('does not wait for background processes of a command', () => {
    const start = performance.now();
    const results = ran([
      { run: ['sh', '-c', 'sleep 60 & echo one'], seconds: 50 },
      { run: ['sh', '-c', 'echo two'], seconds: 50 },
    ]);
    expect(results).toEqual([
      { exitCode: 0, output: 'one' },
      { exitCode: 0, output: 'two' },
    ]);
    expect(performance.now() - start).toBeLessThan(30_000);
  }, 90_000);
});
