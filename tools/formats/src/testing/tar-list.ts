import { execFileSync } from 'node:child_process';

/** The output of `tar --list --verbose` with numeric owners and UTC times: one line per entry. */
export function tarList(tar: Uint8Array): string[] {
  const options = {
    input: tar,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  } as const;
  return execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--full-time'], options)
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '));
}

/** The content of an entry, extracted by GNU tar. */
export function tarRead(tar: Uint8Array, path: string): string {
  return execFileSync('tar', ['--extract', '--to-stdout', path], { input: tar, encoding: 'utf8' });
}

/** All bytes of a stream. */
export async function readStream(data: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of data) chunks.push(chunk);
  return Buffer.concat(chunks);
}
