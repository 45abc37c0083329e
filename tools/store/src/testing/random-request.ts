import { digestOf } from '#core';

/** Pseudo-random numbers from 0 to 1 (mulberry32); deterministic for a seed. */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const DIGESTS = [digestOf('0123456789'), digestOf('none'), digestOf('{}'), 'sha256:00'];
const ID = '00000000-0000-4000-8000-000000000000';
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PRI', 'X'];
const PIECES = [
  '/v2/',
  '/v2',
  'a',
  'incoming/a',
  '/manifests/',
  '/blobs/',
  '/blobs/uploads/',
  '/referrers/',
  '/tags/list',
  'latest',
  ID,
  ...DIGESTS,
  '%',
  '%2f',
  '%2e%2e',
  '%00',
  '%ff%fe',
  '%25',
  '%E0%A4%A',
  '..',
  '//',
  '?',
  '#',
  '?digest=',
  '?mount=',
  '&from=',
  'http://evil.example/',
  'http://[',
  '*',
  '\\',
  'é',
  '\u0000',
  'x'.repeat(2000),
];
const BODIES = [
  '',
  '{}',
  '0123456789',
  'null',
  '[]',
  '{"schemaVersion":2}',
  '{"schemaVersion":2,"config":null,"layers":[null,1,"x",{"digest":{"toString":1}}]}',
  '{"schemaVersion":2,"layers":{"length":9}}',
  `{"schemaVersion":2,"subject":{"digest":"${DIGESTS[0]}"},"annotations":7}`,
  '{"schemaVersion":2,"subject":{"digest":["sha256:0"]}}',
  '['.repeat(50_000),
  '\ud800',
  'x'.repeat(70_000),
];
const HEADERS = [
  'Range: bytes=0-',
  'Range: bytes=-5',
  'Range: bytes=9-3',
  'Range: bytes=0-999999999999999',
  'Range: bytes=999999999999999-',
  'Range: bytes=0-1,2-3',
  'Range: lines=1-2',
  'Content-Range: 0-9',
  'Content-Range: 5-2',
  'Content-Range: 999999999999999-0',
  'Content-Type: \u00ff\u00fe',
  'Content-Type: ;;;',
  'Expect: 100-continue',
  'Connection: close',
  'Connection: upgrade\r\nUpgrade: websocket',
  'Authorization: Basic !',
  'Host: evil.example',
  'Content-Length: 3',
  'Content-Length: -1',
  'Content-Length: 99999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip',
  'Accept-Encoding: gzip',
  `X-Long: ${'y'.repeat(20_000)}`,
  'no colon',
];

/** The bytes of a random, partly valid request; most requests have `authorization`. */
export function randomRequest(next: () => number, host: string, authorization: string): Buffer {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
  const some = <T>(items: readonly T[], most: number): T[] =>
    Array.from({ length: Math.floor(next() * (most + 1)) }, () => pick(items));
  const target =
    next() < 0.6
      ? `/v2/a${pick(['/manifests/', '/blobs/', '/blobs/uploads/', '/referrers/'])}${some(PIECES, 3).join('')}`
      : some(PIECES, 5).join('');
  const body = pick(BODIES);
  const length = next() < 0.8 ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
  const lines = [
    `${pick(METHODS)} ${target} HTTP/1.${next() < 0.9 ? 1 : 0}`,
    ...(next() < 0.9 ? [`Host: ${host}`] : []),
    ...(next() < 0.7 ? [`Authorization: ${authorization}`] : []),
    ...length,
    ...some(HEADERS, 3),
  ];
  const whole = Buffer.from(
    `${lines.join('\r\n')}\r\n\r\n${body}`,
    next() < 0.5 ? 'utf8' : 'latin1',
  );
  if (next() < 0.15) whole[Math.floor(next() * whole.length)] = Math.floor(next() * 256);
  return next() < 0.2 ? whole.subarray(0, Math.floor(next() * whole.length)) : whole;
}
