import { expect, it } from 'vitest';
import { commitEnvironment } from './commit-environment.ts';

const forPlan = {
  PATH: '/usr/bin',
  HOME: '/home/me',
  CCP_CACHE: '/cache',
  https_proxy: 'http://proxy.test:3128',
  NO_PROXY: 'localhost',
};
const forBuild = {
  LC_ALL: 'C',
  CCP_ENGINE: 'unix:///run/docker.sock',
  DOCKER_HOST: 'ssh://me@engine.test',
  GOPROXY: 'https://go.test',
  UV_INDEX_URL: 'https://python.test/simple',
};
const secrets = {
  HTTPS_PROXY: 'http://me:password@proxy.test:3128',
  ALL_PROXY: 'me:password@proxy.test:3128',
  GIT_DIR: '/elsewhere/.git',
  AWS_SECRET_ACCESS_KEY: 'a',
  COSIGN_PASSWORD: 'a',
  DOCKER_CONFIG: '/root/.docker',
  GITHUB_TOKEN: 'a',
  KUBECONFIG: '/root/.kube/config',
  LD_PRELOAD: '/a.so',
  NODE_OPTIONS: '--require=/a.js',
  PIP_EXTRA_INDEX_URL: 'https://token@python.test/simple',
  REGISTRY_AUTH_FILE: '/a',
  SSH_AUTH_SOCK: '/run/agent',
  npm_config_registry: 'https://me:password@npm.test/',
};

it('keeps the variables that a plan needs, without secrets', () => {
  expect(commitEnvironment({ ...forPlan, ...forBuild, ...secrets }, 'plan')).toEqual(forPlan);
});

it('keeps the variables that a build needs, without secrets', () => {
  const kept = { ...forPlan, ...forBuild };
  expect(commitEnvironment({ ...kept, ...secrets }, 'build')).toEqual(kept);
});
