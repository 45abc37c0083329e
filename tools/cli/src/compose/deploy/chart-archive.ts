import { gzipSync } from 'node:zlib';
import { writeTar, type TarEntry } from '#formats/tar';

/** The files of a chart as Helm packages them: a tar with one folder, without times and owners. */
export async function chartArchive(
  name: string,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<Buffer> {
  const entries = files.map(({ path, text }): TarEntry => {
    const data = Buffer.from(text);
    return {
      header: {
        path: `${name}/${path}`,
        type: 'file',
        mode: 0o644,
        uid: 0,
        gid: 0,
        size: data.length,
        mtime: 0,
      },
      data: [data],
    };
  });
  return gzipSync(Buffer.concat(await Array.fromAsync(writeTar(entries))), { level: 9 });
}
