import { sha256, type Json, type Sha256 } from '#core';

/** The remembered hash of a file. */
export interface FileEntry {
  /** Size, times and inode. */
  readonly signature: string;
  readonly sha256: Sha256;
  /** Number of saves since the last use. */
  age: number;
}

/** A remembered value, decoded on demand. */
export interface ValueEntry {
  readonly json: string;
  value?: Json;
  age: number;
}

export interface MemoContent {
  readonly files: Map<string, FileEntry>;
  readonly values: Map<string, ValueEntry>;
}

const HEADER = 'ccp-memo 1 ';
const PLAIN_KEY = /^[!-"$-~][ -~]{0,159}$/;

/** The key in the file: a short printable key unchanged, else its hash. */
export function storedKey(key: string): string {
  return PLAIN_KEY.test(key) ? key : `#${sha256(key)}`;
}

/**
 * One line per entry: `F`, age, signature, SHA-256, path; or `V`, age, key, JSON; separated by
 * tabs. The first line has the format and the SHA-256 of the rest, so that damage is detected
 * before a hash is used.
 */
export function encodeMemo(content: MemoContent): string {
  const lines: string[] = [];
  for (const [path, entry] of content.files) {
    if (path.includes('\n')) continue;
    lines.push(`F\t${entry.age}\t${entry.signature}\t${entry.sha256}\t${path}\n`);
  }
  for (const [key, entry] of content.values) lines.push(`V\t${entry.age}\t${key}\t${entry.json}\n`);
  const body = lines.join('');
  return `${HEADER}${sha256(body)}\n${body}`;
}

/** The content; undefined if the file is damaged or has another format. */
export function decodeMemo(bytes: Uint8Array): MemoContent | undefined {
  const bodyAt = bytes.indexOf(10) + 1;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (bodyAt === 0 || text.slice(0, bodyAt) !== `${HEADER}${sha256(bytes.subarray(bodyAt))}\n`)
    return undefined;
  const content: MemoContent = { files: new Map(), values: new Map() };
  for (let start = bodyAt; start < text.length;) {
    const end = text.indexOf('\n', start);
    const ageEnd = text.indexOf('\t', start + 2);
    const age = Number(text.slice(start + 2, ageEnd));
    const second = text.indexOf('\t', ageEnd + 1);
    if (text.startsWith('F', start)) {
      const third = text.indexOf('\t', second + 1);
      const hash = text.slice(second + 1, third) as Sha256;
      content.files.set(text.slice(third + 1, end), {
        signature: text.slice(ageEnd + 1, second),
        sha256: hash,
        age,
      });
    } else {
      content.values.set(text.slice(ageEnd + 1, second), {
        json: text.slice(second + 1, end),
        age,
      });
    }
    start = end + 1;
  }
  return content;
}
