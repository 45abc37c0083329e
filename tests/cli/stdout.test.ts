import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-stdout-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a line of bash with `$0` for ccp. */
function bash(line: string): { readonly status: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync('bash', ['-c', line, `${REPOSITORY}/ccp`], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stderr };
}

it('fails if standard output is full', () => {
  const stderr =
    'ccp: cannot write standard output: the disk is full\n  -> free space on that disk and run the command again\n';
  expect(bash('"$0" help --json > /dev/full')).toEqual({ status: 5, stderr });
  expect(bash('"$0" --help > /dev/full')).toEqual({ status: 5, stderr });
});

it('fails if the file of standard output takes only a part', () => {
  expect(bash('ulimit -f 1; exec "$0" help --json > answer.json')).toEqual({
    status: 5,
    stderr:
      'ccp: cannot write standard output: the file is too large for the limit of this user\n  -> raise the limit (ulimit -f) and run the command again\n',
  });
  expect(statSync(join(folder, 'answer.json')).size).toBe(1024);
});

it('fails if standard output is closed', () => {
  expect(bash('"$0" help >&-')).toEqual({
    status: 5,
    stderr:
      'ccp: cannot write standard output: it is closed\n  -> redirect it to a file, or to /dev/null\n',
  });
});

it('is quiet if the reader closes the pipe', () => {
  const ended = '"$0" help --json | exec true; echo "${PIPESTATUS[*]}" >&2';
  expect(bash(ended)).toEqual({ status: 0, stderr: '0 0\n' });
});
