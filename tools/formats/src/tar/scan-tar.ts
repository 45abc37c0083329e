import { extendedHeaders } from './extended-headers.ts';
import { checksumOf, readCount } from './header-fields.ts';
import { readMember } from './read-member.ts';
import { BLOCK, layerInvalid, padded, type TarMember, type TarSource } from './tar-member.ts';

/** OpenStack's images have fewer than 100,000 members; each takes about a kilobyte of memory. */
const MAX_MEMBERS = 1_000_000;

/**
 * The members of a tar (ustar, PAX, GNU, v7) in order, with extended headers applied; content is
 * not copied. Throws `layer-invalid`, also for devices, unknown member types, old PAX sparse
 * formats, a truncated tar, and more than `maxMembers` members, where each segment of a sparse file
 * counts.
 */
export function scanTar(source: TarSource, maxMembers = MAX_MEMBERS): TarMember[] {
  const entries: TarMember[] = [];
  const extended = extendedHeaders();
  let ended = false;
  let parts = 0;
  let at = 0;
  while (at + BLOCK <= source.size) {
    const block = Buffer.from(source.read(at, BLOCK));
    ended = block[0] === 0 && block.every((byte) => byte === 0);
    if (ended) break;
    checkHeader(block, at);
    const flag = String.fromCharCode(block[156] ?? 0);
    if (extended.isExtended(flag)) {
      const size = readCount(block, 124, 12, at);
      extended.add(source, flag, at, size);
      at += BLOCK + padded(size);
      continue;
    }
    const { entry, end } = readMember(source, block, at, extended.take());
    entries.push(entry);
    parts += Math.max(entry.segments.length, 1);
    if (parts > maxMembers) throw layerInvalid(at, `it has more than ${maxMembers} members`);
    at = end;
  }
  if (!ended || extended.waiting()) throw layerInvalid(at, 'it is truncated');
  return entries;
}

function checkHeader(block: Buffer, at: number): void {
  const expected = readCount(block, 148, 8, at);
  const sum = checksumOf(block);
  if (expected === sum) return;
  throw layerInvalid(at, `a header has the checksum ${sum} instead of ${expected}`);
}
