import { gzipSync } from 'node:zlib';
import { writeTar, type TarEntry } from '#formats/tar';

/** Builds an ar archive of these members. */
export function arArchive(members: Readonly<Record<string, Uint8Array>>): Buffer {
  const parts = Object.entries(members).flatMap(([name, data]) => [
    Buffer.from(
      `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(data.length).padEnd(10)}\`\n`,
    ),
    data,
    Buffer.alloc(data.length % 2, '\n'),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}

/** Builds a Debian package of these files; `pack` compresses their tar, the member `name`. */
export async function sampleDeb(
  entries: readonly TarEntry[],
  name = 'data.tar',
  pack: (tar: Buffer) => Uint8Array = (tar) => tar,
): Promise<Buffer> {
  return arArchive({
    'debian-binary': Buffer.from('2.0\n'),
    'control.tar.gz': gzipSync('odd'),
    [name]: pack(Buffer.concat(await Array.fromAsync(writeTar(entries)))),
  });
}
