const HEADER = 60;
/** A Debian package has three members; more are allowed for signatures. */
const MAX_MEMBERS = 64;

export interface ArMember {
  readonly name: string;
  readonly data: Uint8Array;
}

/**
 * Reads the members of an `ar` archive (the common format that deb(5) uses) in order, as slices of
 * `bytes`. Throws a `RangeError` if the bytes are not an ar archive, are truncated, or have more
 * than 64 members.
 */
export function readAr(bytes: Uint8Array): ArMember[] {
  const text = (from: number, to: number): string =>
    Buffer.from(bytes.subarray(from, to)).toString('latin1').trimEnd();
  if (text(0, 8) !== '!<arch>') throw new RangeError('it is not an ar archive');
  const members: ArMember[] = [];
  for (let at = 8; at < bytes.length;) {
    if (members.length === MAX_MEMBERS)
      throw new RangeError(`the ar archive has more than ${MAX_MEMBERS} members`);
    const size = text(at + 48, at + 58);
    const end = at + HEADER + Number(size);
    if (text(at + 58, at + HEADER) !== '`' || !/^\d{1,10}$/.test(size) || end > bytes.length)
      throw new RangeError('the ar archive is cut or damaged');
    members.push({
      name: text(at, at + 16).replace(/\/$/, ''),
      data: bytes.subarray(at + HEADER, end),
    });
    at = end + (end % 2);
  }
  return members;
}
