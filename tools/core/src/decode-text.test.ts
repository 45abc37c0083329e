import { expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';
import { placedMessage, type CcpError } from './errors.ts';

it('reads UTF-8 that contains a replacement character', () => {
  expect(decodeText(Buffer.from('é \ufffd\n'), 'a.yaml')).toBe('é \ufffd\n');
});

it.each([
  ['Latin-1', [0x61, 0x0a, 0x62, 0x63, 0xe9, 0x3a], 'a.yaml:2:3'],
  ['a character cut off', [0xef, 0xbf, 0xbd, 0xef, 0x41], 'a.yaml:1:2'],
  ['a character cut off at the end', [0x61, 0xef, 0xbf], 'a.yaml:1:2'],
  ['half of a pair', [0xed, 0xa0, 0x80], 'a.yaml:1:1'],
])('reports the position of %s', (_, bytes, place) => {
  const read = (): unknown => decodeText(Uint8Array.from(bytes), 'a.yaml');
  expect(read).toThrow(
    expect.objectContaining({ code: 'file-unreadable', hint: 'save it as UTF-8' }),
  );
  expect(read).toThrow(
    expect.toSatisfy(
      (error: CcpError) => placedMessage(error) === `${place}: the file is not UTF-8`,
    ),
  );
});
