import { extract, pack } from 'tar-stream';

/** A file of a tar: its text or bytes, and its mode (default 0644). */
export type TarFile = string | Uint8Array | { readonly bytes: Uint8Array; readonly mode: number };

/** A tar with these files, for test contexts. A path with a trailing `/` is a folder. */
export async function tarOf(files: Readonly<Record<string, TarFile>>): Promise<Uint8Array> {
  const tar = pack();
  for (const [name, file] of Object.entries(files)) {
    if (name.endsWith('/')) {
      tar.entry({ name, type: 'directory', mtime: new Date(0) });
      continue;
    }
    const { bytes, mode } =
      typeof file === 'string' || file instanceof Uint8Array ? { bytes: file, mode: 0o644 } : file;
    tar.entry({ name, mode, mtime: new Date(0) }, Buffer.from(bytes));
  }
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The regular files of a tar as text, by path; empty if the bytes are not a tar. */
export async function textsOfTar(bytes: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const reader = extract();
  reader.end(Buffer.from(bytes));
  try {
    for await (const entry of reader) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of entry as AsyncIterable<Uint8Array>) chunks.push(chunk);
      if (entry.header.type === 'file')
        texts.set(entry.header.name, Buffer.concat(chunks).toString());
    }
  } catch {
    return texts;
  }
  return texts;
}
