import { describe, expect, it } from 'vitest';
import { parseHtmlPage, parseJsonPage, sdistVersion } from './index-page.ts';

const A = 'a'.repeat(64);
const BASE = 'https://index.example/simple/x/';

describe('pages of a simple index', () => {
  it('are read from HTML', () => {
    const html = `<a href="../../files/x-1.tar.gz#sha256=${A}" data-requires-python="&gt;=3.9">x-1.tar.gz</a><br/>
      <a data-yanked='broken' href='https://files.example/x-2%2Blocal-py3-none-any.whl#sha256=${A}'>x</a>
      <a href="x-3.tar.gz">without a hash</a><a href="https://files.example/#sha256=${A}">without a name</a>`;
    expect(parseHtmlPage('x', html, BASE)).toEqual([
      { name: 'x', file: 'x-1.tar.gz', url: 'https://index.example/files/x-1.tar.gz', sha256: A, yanked: false },
      { name: 'x', file: 'x-2+local-py3-none-any.whl', url: 'https://files.example/x-2%2Blocal-py3-none-any.whl', sha256: A, yanked: true },
    ]);
  });

  it('are read from JSON', () => {
    const files = [
      { filename: 'x-1.tar.gz', url: '../x-1.tar.gz', size: 5, hashes: { sha256: A }, yanked: false },
      { filename: 'x-2.tar.gz', url: 'x-2.tar.gz', size: -1, hashes: { sha256: A }, yanked: 'broken' },
      { filename: '../x', url: 'x', hashes: { sha256: A } },
      { filename: 'x-3.tar.gz', url: 'x', hashes: { sha256: 'short' } },
    ];
    expect(parseJsonPage('x', JSON.stringify({ files }), BASE)).toEqual([
      { name: 'x', file: 'x-1.tar.gz', url: 'https://index.example/simple/x-1.tar.gz', sha256: A, size: 5, yanked: false },
      { name: 'x', file: 'x-2.tar.gz', url: 'https://index.example/simple/x/x-2.tar.gz', sha256: A, yanked: true },
    ]);
  });
});

it.each([
  ['oslo-db', 'oslo.db-18.0.0.tar.gz', '18.0.0'],
  ['oslo-db', 'oslo_db-18.0.0.tar.gz', '18.0.0'],
  ['oslo', 'oslo-db-18.0.0.tar.gz', undefined],
  ['x', 'x-1.zip', '1'],
  ['x', 'x-1.tar.bz2', undefined],
])('the version of %s in %s is %s', (project, file, version) => {
  expect(sdistVersion(project, file)).toBe(version);
});
