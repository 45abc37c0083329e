import { describe, expect, it } from 'vitest';
import { htmlLinks, parseIndexPage } from '#formats';
import { cpuMs } from '../../../tests/helpers/cpu-ms.ts';
import { fuzz, FUZZ_TIMEOUT_MS, mutated } from '../../../tests/helpers/fuzz.ts';
import { redact, registerSecret } from './redact.ts';

const PAGE = { contentType: 'text/html', url: 'https://u:p@index.example/simple/x/' };
const MB = 1_000_000;
const filled = (unit: string): string => unit.repeat(Math.ceil(MB / unit.length));

describe('a page of an index of 1 MB', () => {
  it.each([
    '<a ',
    '<a href="',
    "<a href='x' ",
    '<a href=x ',
    '<a x="\'',
    '<a data-yanked ',
    '<',
    '&',
    '<a href="&am',
    '<!--',
    '<script>',
    '<b>',
    '</b>',
    '<a href="x#sha256=',
    'a=',
  ])('is read in little time if it repeats %j', (unit) => {
    const started = cpuMs();
    parseIndexPage({ ...PAGE, text: filled(unit) });
    parseIndexPage({ ...PAGE, text: `<b>${filled(unit)}>${'</x>'.repeat(100_000)}` });
    expect(cpuMs() - started).toBeLessThan(8000);
  });
});

it('reads entities, names in capitals and the first of equal attributes', () => {
  const text = '<A HREF="x?a=1&amp;b=&#50;" href=y DATA-Yanked><abbr href=z><a href = w/>';
  expect(htmlLinks(text, 10).map((attributes) => [...attributes])).toEqual([
    [
      ['href', 'x?a=1&b=2'],
      ['data-yanked', ''],
    ],
    [['href', 'w/']],
  ]);
});

it('refuses a page with too many files', () => {
  const message =
    'the response of the Python index for https://***@index.example/simple/x/ lists more than 200000 files';
  const text = '<a href="x-1.zip">'.repeat(200_001);
  expect(() => parseIndexPage({ ...PAGE, text })).toThrow(message);
  const files = JSON.stringify({ files: Array.from({ length: 200_001 }, () => 0) });
  expect(() => parseIndexPage({ ...PAGE, contentType: 'application/json', text: files })).toThrow(
    message,
  );
});

it('refuses a page of HTML that is too large', () => {
  expect(() => parseIndexPage({ ...PAGE, text: ' '.repeat(33_554_433) })).toThrow(
    'the response of the Python index for https://***@index.example/simple/x/ has more than 33554432 characters',
  );
});

it(
  'reads or refuses any changed page, with web addresses alone',
  async () => {
    const hash = 'a'.repeat(64);
    const pages = [
      [
        'text/html',
        `<!DOCTYPE html><a href="../x-1.tar.gz#sha256=${hash}" data-yanked="">x</a><br/>\n<A href='https://f.example/x-2.whl'>`,
      ],
      [
        'application/json',
        JSON.stringify({ files: [{ filename: 'x-1.zip', url: 'x', hashes: { sha256: hash } }] }),
      ],
    ] as const;
    await fuzz(2000, (random) => {
      const [contentType, page] = random.pick(pages);
      const text = mutated(random, Buffer.from(page)).toString();
      try {
        for (const { url, file } of parseIndexPage({ ...PAGE, contentType, text })) {
          expect(url).toMatch(/^https?:\/\//);
          expect(file).toMatch(/^[A-Za-z0-9][A-Za-z0-9._+!-]*$/);
        }
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'index-invalid' });
      }
    });
  },
  FUZZ_TIMEOUT_MS,
);

describe('redact', () => {
  registerSecret('a-registered-secret');
  it.each([
    '-eyJaaaaaaaa',
    'a://',
    'a://b:c',
    'authorization: ',
    'authorization\\',
    'bearer ',
    'bearer a',
    '"token" ',
    '\\"token\\":\\"',
    'a-token',
    '-----BEGIN A PRIVATE KEY',
    'a-registered-',
    '\\',
    '"',
  ])('scans 1 MB of %j in little time', (unit) => {
    const started = cpuMs();
    redact(filled(unit));
    expect(cpuMs() - started).toBeLessThan(4000);
  });
});
