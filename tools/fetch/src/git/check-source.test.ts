import { describe, expect, it } from 'vitest';
import { CcpError, redact } from '#core';
import { checkCommit, checkRef, checkUrl, rewriteUrl } from './check-source.ts';

function thrownBy(call: () => unknown): CcpError {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof CcpError) return thrown;
  }
  throw new Error('no CcpError was thrown');
}

describe('checkUrl', () => {
  it.each([
    'https://git.test/openstack/keystone',
    'https://git.test:8443/x.git',
    'ssh://git@git.test/x',
    'ssh://git.test:2222/x',
    'file:///srv/git/x',
    'http://127.0.0.1:8080/x',
    'http://[::1]/x',
    'http://localhost/x',
  ])('takes %s', (url) => {
    expect(checkUrl(url).href).toContain(url.slice(0, 8));
  });

  it.each([
    ['ext::sh -c id', 'it is not a URL with a supported protocol'],
    ['--upload-pack=id', 'it is not a URL with a supported protocol'],
    ['git@git.test:x.git', 'it is not a URL with a supported protocol'],
    ['/srv/git/x', 'it is not a URL with a supported protocol'],
    ['git://git.test/x', 'it is not a URL with a supported protocol'],
    ['https://git.test/x\n--upload-pack=id', 'it is not a URL with a supported protocol'],
    ['https://user:secret@git.test/x', 'it contains credentials'],
    ['https://token@git.test/x', 'it contains credentials'],
    ['ssh://-oProxyCommand=id/x', 'a part of it would be read as an option'],
    ['ssh://-oProxyCommand=id@git.test/x', 'a part of it would be read as an option'],
    ['ssh://git.test/-x', 'a part of it would be read as an option'],
    ['file://other/x', 'a file URL must not have a host'],
    ['file://', 'it has no path'],
    ['https://git.test//', 'it has no path'],
    ['http://git.test/x', 'plain http is allowed on loopback only'],
    ['http://127.0.0.1.git.test/x', 'plain http is allowed on loopback only'],
  ])('refuses %s', (url, why) => {
    expect(() => checkUrl(url)).toThrow(`cannot be fetched by git: ${why}`);
  });

  it('suggests URLs that the redactor shows unchanged', () => {
    const { hint } = thrownBy(() => checkUrl('https://token@git.test/x'));
    expect([redact(hint!), hint]).toEqual([hint, expect.stringContaining('ssh://HOST/PATH')]);
  });

  it('hides passwords', () => {
    expect(() => checkUrl('https://user:secret@git.test/x')).toThrow(
      /^"https:\/\/\*\*\*@git.test\/x" cannot/,
    );
  });
});

it.each([
  '-x',
  '--upload-pack=id',
  '',
  'a..b',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'refs//x',
  'x/',
  'x.',
  'x.lock',
  'x/.y',
  '@{-1}',
  '@',
  'x\n',
])('refuses %j as a ref', (ref) => {
  expect(() => checkRef(ref)).toThrow(`${JSON.stringify(ref)} is not the name of a branch or tag`);
});

it.each(['29.0.2', 'stable/2026.1', 'master', 'v1_x', 'feature/a@b', '_x', 'c++#1'])(
  'takes %s as a ref',
  (ref) => {
    expect(checkRef(ref)).toBe(ref);
  },
);

it.each(['abc', 'A'.repeat(40), `${'a'.repeat(40)}\n`, 'HEAD'])(
  'refuses %j as a commit',
  (commit) => {
    expect(() => checkCommit(commit)).toThrow('is not a commit');
  },
);

it('rewrites by the longest prefix', () => {
  const rewrites = {
    'https://git.test/': 'https://mirror.test/all/',
    'https://git.test/openstack/': 'ssh://git@mirror.test/',
  };
  expect(
    ['https://git.test/openstack/nova', 'https://git.test/x', 'https://other.test/x'].map((url) =>
      rewriteUrl(url, rewrites),
    ),
  ).toEqual(['ssh://git@mirror.test/nova', 'https://mirror.test/all/x', 'https://other.test/x']);
});
