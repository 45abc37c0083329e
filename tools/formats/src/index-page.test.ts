import { describe, expect, it } from 'vitest';
import { normaliseProject, parseIndexPage, withIndexLogin } from './index-page.ts';

const A = 'a'.repeat(64);
const URL_OF_X = 'https://index.example/simple/x/';

describe('parseIndexPage', () => {
  it('reads HTML', () => {
    const text = `<a href="../../files/x-1.tar.gz#sha256=${A}" data-requires-python=">=3.9"><b>x-1</b>.tar.gz</a><br/>
      <a data-yanked='broken' href='https://files.example/x-2%2Blocal-py3-none-any.whl#sha256=${A}'>x</a>
      <a href="x-3.tar.gz#md5=0">another hash</a><a href="https://files.example/#sha256=${A}">no name</a><a href="ftp://x/x-4.zip">x</a>`;
    expect(parseIndexPage({ text, contentType: 'text/html', url: URL_OF_X })).toEqual([
      {
        file: 'x-1.tar.gz',
        url: 'https://index.example/files/x-1.tar.gz',
        sha256: A,
        yanked: false,
      },
      {
        file: 'x-2+local-py3-none-any.whl',
        url: 'https://files.example/x-2%2Blocal-py3-none-any.whl',
        sha256: A,
        yanked: true,
      },
      { file: 'x-3.tar.gz', url: 'https://index.example/simple/x/x-3.tar.gz', yanked: false },
    ]);
  });

  it('reads JSON', () => {
    const files = [
      {
        filename: 'x-1.tar.gz',
        url: '../x-1.tar.gz',
        size: 5,
        hashes: { sha256: A },
        yanked: false,
      },
      {
        filename: 'x-2.tar.gz',
        url: 'x-2.tar.gz',
        size: -1,
        hashes: { sha256: 'short' },
        yanked: 'broken',
      },
      { filename: '../x', url: 'x', hashes: { sha256: A } },
      { filename: 'x-3.zip', url: 'file:///x-3.zip' },
      null,
    ];
    expect(
      parseIndexPage({
        text: JSON.stringify({ files }),
        contentType: 'application/vnd.pypi.simple.v1+json',
        url: URL_OF_X,
      }),
    ).toEqual([
      {
        file: 'x-1.tar.gz',
        url: 'https://index.example/simple/x-1.tar.gz',
        sha256: A,
        size: 5,
        yanked: false,
      },
      { file: 'x-2.tar.gz', url: 'https://index.example/simple/x/x-2.tar.gz', yanked: true },
    ]);
  });

  it.each([
    ['<html>', 'is not JSON'],
    ['[]', 'lists no files'],
    ['{"files": {}}', 'lists no files'],
  ])('refuses the JSON page %s', (text, what) => {
    expect(() =>
      parseIndexPage({
        text,
        contentType: 'application/json',
        url: 'https://u:p@index.example/x/',
      }),
    ).toThrow(`the response of the Python index for https://***@index.example/x/ ${what}`);
  });
});

it('normalises project names', () => {
  expect(normaliseProject('Oslo._-DB')).toBe('oslo-db');
});

it.each([
  ['https://index.example/f/x.whl', 'https://u:p@index.example/f/x.whl'],
  ['https://own:1@index.example/f', 'https://own:1@index.example/f'],
  ['https://index.example:8443/f', 'https://index.example:8443/f'],
  ['http://index.example/f', 'http://index.example/f'],
  ['https://files.example/f', 'https://files.example/f'],
])('adds the login of https://u:p@index.example/simple/ to %s: %s', (url, asked) => {
  expect(withIndexLogin(url, 'https://u:p@index.example/simple/')).toBe(asked);
});
