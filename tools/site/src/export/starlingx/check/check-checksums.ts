import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Findings } from './findings.ts';
import type { ApplicationContent } from './read-application.ts';

const HINT =
  "write it again: find . -type f ! -name '*.md5' -print0 | xargs -0 md5sum > checksum.md5";
const LINE = /^\\?([0-9a-fA-F]{32}) [ *](.+)$/;

/** The rules of `checksum.md5`: `md5sum -c` must succeed in the root of the tarball. */
export function checkChecksums({ files }: ApplicationContent, found: Findings): void {
  const lists = [...files.keys()].filter((path) => !path.includes('/') && path.endsWith('.md5'));
  if (lists.length === 0)
    found.warn('checksums', '', 'it has no checksum.md5, so a damaged copy is not noticed', HINT);
  for (const list of lists) {
    const lines = Buffer.from(files.get(list)!).toString('utf8').split('\n').filter(Boolean);
    const entries = lines.flatMap((line) => {
      const [, sum = '', path = ''] = LINE.exec(line) ?? [];
      return path === '' ? [] : [{ sum: sum.toLowerCase(), path: posix.normalize(path) }];
    });
    if (entries.length === 0) found.error('checksums', list, 'it has no line of md5sum', HINT);
    for (const { sum, path } of entries) {
      const data = files.get(path);
      if (data === undefined) found.error('checksums', list, `${path} is not in the tarball`, HINT);
      else if (createHash('md5').update(data).digest('hex') !== sum)
        found.error('checksums', list, `${path} has another MD5 sum`, HINT);
    }
    const listed = new Set(entries.map(({ path }) => path));
    const missing = [...files.keys()].filter((path) => !path.endsWith('.md5') && !listed.has(path));
    if (entries.length > 0 && missing.length > 0)
      found.warn('checksums', list, `it does not list ${missing.join(', ')}`, HINT);
  }
}
