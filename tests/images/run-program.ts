import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '../helpers/ccp.ts';

/**
 * How a program of an app spec ended, and the calls that it made of the programs in `stubs`, a line
 * each.
 */
export interface ProgramRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly calls: readonly string[];
}

/**
 * Runs `images/PROGRAM` with stubs in place of other programs: NAME -> the shell text that answers
 * a call, which has its arguments in `$*`. `files` are written below the folder that replaces
 * `/var`, `/tmp`, `/etc/ccp` and `/usr/lib/rabbitmq`, modules of Python below `python`.
 */
export function runProgram(
  program: string,
  words: readonly string[],
  {
    stubs = {},
    files = {},
    env = {},
  }: {
    readonly stubs?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  },
): ProgramRun {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-program-'));
  try {
    const log = join(folder, 'calls');
    const write = (name: string, text: string, mode = 0o644): void => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text, { mode });
    };
    for (const name of ['bin', 'python', 'tmp', 'var/lib/ovn'])
      mkdirSync(join(folder, name), { recursive: true });
    for (const [name, text] of Object.entries(stubs))
      write(`bin/${name}`, `#!/bin/bash\necho "${name} $*" >>${log}\n${text}\n`, 0o755);
    for (const [name, text] of Object.entries(files))
      write(name, text, text.startsWith('#!') ? 0o755 : 0o644);
    const text = readFileSync(join(REPOSITORY, 'images', program), 'utf8').replaceAll(
      /(?<![\w$.}])\/(var|tmp|etc\/ccp|usr\/lib\/rabbitmq)\//g,
      `${folder}/$1/`,
    );
    write('program', text);
    const { status, stdout, stderr } = spawnSync(
      program.endsWith('.py') ? 'python3' : 'bash',
      [join(folder, 'program'), ...words],
      {
        encoding: 'utf8',
        timeout: 20_000,
        killSignal: 'SIGKILL',
        env: {
          PATH: `${folder}/bin:/usr/local/bin:/usr/bin:/bin`,
          PYTHONPATH: join(folder, 'python'),
          HOME: folder,
          ...env,
        },
      },
    );
    const calls = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
    return { status, stdout, stderr, calls: calls.map((call) => call.replaceAll(folder, '')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
