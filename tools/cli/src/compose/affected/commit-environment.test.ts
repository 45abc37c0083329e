import { expect, it } from 'vitest';
import { commitEnvironment } from './commit-environment.ts';

it('keeps the variables that a plan needs, without secrets', () => {
  const kept = {
    PATH: '/usr/bin',
    HOME: '/home/me',
    CCP_CACHE: '/cache',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: 'localhost',
  };
  expect(
    commitEnvironment({
      ...kept,
      HTTPS_PROXY: 'http://me:password@proxy:3128',
      REGISTRY_TOKEN: 'token',
      SSH_AUTH_SOCK: '/run/agent',
      NODE_OPTIONS: '--require=/tmp/x.js',
      GIT_DIR: '/elsewhere/.git',
    }),
  ).toEqual(kept);
});
