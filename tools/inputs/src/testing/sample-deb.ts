import { gzipSync } from 'node:zlib';
import { writeTar, type TarEntry } from '../tar/write-tar.ts';
import { collect } from './tar-list.ts';

/** An ar archive of these members. */
export function ar(members: Readonly<Record<string, Uint8Array>>): Buffer {
  const parts = Object.entries(members).flatMap(([name, data]) => [
    Buffer.from(`${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(data.length).padEnd(10)}\`\n`),
    data,
    Buffer.alloc(data.length % 2, '\n'),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}

/** A Debian package of these files; `pack` compresses the member `name` that holds them. */
export async function sampleDeb(entries: readonly TarEntry[], name = 'data.tar', pack: (tar: Buffer) => Uint8Array = (tar) => tar): Promise<Buffer> {
  return ar({ 'debian-binary': Buffer.from('2.0\n'), 'control.tar.gz': gzipSync('odd'), [name]: pack(await collect(writeTar(entries))) });
}
