import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { arch } from 'node:process';
import { CcpError, codeOf } from '#core';
import { readBounded, replaceFile, requirePrivate } from '#host';
import type { PythonIndexClient } from './index-client.ts';
import { readZipEntry } from '#formats';

/**
 * The pinned uv release, a wheel for x86-64 Linux. compile.ts parses its messages, which other
 * releases can change.
 */
const UV = {
  version: '0.13.8',
  sha256: 'e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984',
  /** SHA-256 of the program in the wheel. */
  programSha256: '4a7607589912d9c20e86b860b032f7c7f2913c9a3e76f46aef136885387452b8',
} as const;

const MAX_PROGRAM_BYTES = 128 << 20;

/**
 * Returns the path of the pinned uv; the host's uv is never used. It is fetched from the index
 * unless the cache has a program with the pinned SHA-256. Throws `tool-missing`, and
 * `machine-rights` if other users could replace the program.
 */
export async function uvProgram(index: PythonIndexClient, cache: string): Promise<string> {
  const folder = join(cache, 'uv', UV.version);
  const program = join(folder, 'uv');
  requirePrivate(folder, `the folder of programs ${folder}`);
  if (isPinned(program)) return program;
  if (arch !== 'x64')
    throw new CcpError({
      code: 'tool-missing',
      message: `uv is only pinned for x86-64, not for ${arch}`,
    });
  const wheel = (await index.files('uv')).find((file) => file.sha256 === UV.sha256);
  if (wheel === undefined)
    throw new CcpError({
      code: 'tool-missing',
      message: `the Python index has no wheel of uv ${UV.version} with SHA-256 ${UV.sha256}`,
    });
  const bytes = readZipEntry(await index.download(wheel), (path) =>
    path.endsWith('.data/scripts/uv'),
  );
  mkdirSync(folder, { recursive: true });
  replaceFile(program, bytes, { mode: 0o755 });
  return program;
}

/** Whether the program has the pinned hash and only this user and root can replace it. */
function isPinned(program: string): boolean {
  try {
    requirePrivate(program, 'uv');
    const bytes = readBounded(program, MAX_PROGRAM_BYTES);
    return createHash('sha256').update(bytes).digest('hex') === UV.programSha256;
  } catch (thrown) {
    if (['ENOENT', 'file-unreadable', 'machine-rights'].includes(codeOf(thrown) ?? ''))
      return false;
    throw thrown;
  }
}
