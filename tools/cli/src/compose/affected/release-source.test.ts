import { expect, it } from 'vitest';
import { publicUrl } from './release-source.ts';

it.each([
  ['https://user:token@git.example.org/a/b.git', 'https://git.example.org/a/b.git'],
  ['https://git.example.org/a?private_token=x#y', 'https://git.example.org/a'],
  ['git@git.example.org:a/b.git', 'ssh://git@git.example.org/a/b.git'],
  ['ssh://git:secret@git.example.org:29418/a', 'ssh://git@git.example.org:29418/a'],
  ['git://git.example.org/a', 'git://git.example.org/a'],
])('names %s without a login', (remote, url) => {
  expect(publicUrl(remote)).toBe(url);
});

it.each(['/srv/git/a', '../a', 'file:///srv/git/a', 'ext::sh -c date', '-oProxyCommand=x:y', ''])(
  'names no repository for %j',
  (remote) => {
    expect(publicUrl(remote)).toBeUndefined();
  },
);
