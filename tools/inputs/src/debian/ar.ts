/** Files of an `ar` archive (the common format that deb(5) uses) in order; slices of `bytes`. Raises a `RangeError` where it is none or is cut. */
export function readAr(bytes: Uint8Array): { readonly name: string; readonly data: Uint8Array }[] {
  const text = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString('latin1').trimEnd();
  if (text(0, 8) !== '!<arch>') throw new RangeError('it is not an ar archive');
  const members: { name: string; data: Uint8Array }[] = [];
  for (let at = 8; at < bytes.length;) {
    const size = Number(text(at + 48, at + 58));
    const end = at + 60 + size;
    if (text(at + 58, at + 60) !== '`' || !Number.isSafeInteger(size) || end > bytes.length) throw new RangeError('the ar archive is cut or damaged');
    members.push({ name: text(at, at + 16).replace(/\/$/, ''), data: bytes.subarray(at + 60, end) });
    at = end + (end % 2);
  }
  return members;
}
