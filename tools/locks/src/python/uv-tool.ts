import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arch } from 'node:process';
import { CcpError } from '#core';
import type { PythonIndexClient } from './index-client.ts';
import { readZipEntry } from './zip.ts';

/** The release that resolves, by its wheel for x86-64 Linux. Another release may word its messages in another way: see compile.ts. */
const UV = {
  version: '0.13.8',
  sha256: 'e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984',
} as const;

/** Path of the pinned uv, fetched from the index into the cache where it is not there yet; never one of the host. */
export async function uvProgram(index: PythonIndexClient, cache: string): Promise<string> {
  const folder = join(cache, 'uv', UV.version);
  const program = join(folder, 'uv');
  if (existsSync(program)) return program;
  if (arch !== 'x64') throw new CcpError({ code: 'tool-missing', message: `there is no pinned uv for ${arch}` });
  const wheel = (await index.files('uv')).find((file) => file.sha256 === UV.sha256);
  if (wheel === undefined) throw new CcpError({ code: 'tool-missing', message: `the Python index has no wheel of uv ${UV.version} with SHA-256 ${UV.sha256}` });
  const bytes = readZipEntry(await index.download(wheel), (path) => path.endsWith('.data/scripts/uv'));
  mkdirSync(folder, { recursive: true });
  const partial = `${program}.${randomBytes(6).toString('hex')}.partial`;
  writeFileSync(partial, bytes, { mode: 0o755, flush: true });
  renameSync(partial, program);
  return program;
}
