import { CcpError } from '#core';
import { quoteName, type TarMember, type TarSource } from '#formats/tar';

/** Files of more bytes are not read whole: a member may declare any size. */
const MAX_WHOLE = 64 * 2 ** 20;

/** The content of a file. Throws `layer-invalid` if it is larger than 64 MiB. */
export function readWhole(source: TarSource, member: TarMember): Buffer {
  if (member.size > MAX_WHOLE)
    throw new CcpError({
      code: 'layer-invalid',
      message: `the file ${quoteName(member.path)} of a layer has ${member.size} bytes; at most ${MAX_WHOLE} are read`,
      hint: 'this file is not from a build by ccp; build the image again',
    });
  return readContent(source, member, 0, member.size);
}

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
