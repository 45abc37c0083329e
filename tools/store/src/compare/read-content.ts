import type { TarMember, TarSource } from '#formats/tar';

/** `length` bytes of a member's content from offset `at` on, holes as zeros. */
export function readContent(
  source: TarSource,
  member: TarMember,
  at: number,
  length: number,
): Buffer {
  const bytes = Buffer.alloc(length);
  for (const segment of member.segments) {
    const start = Math.max(segment.at, at);
    const end = Math.min(segment.at + segment.length, at + length);
    if (start >= end) continue;
    source.read(segment.from + start - segment.at, end - start).copy(bytes, start - at);
  }
  return bytes;
}
