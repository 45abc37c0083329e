import { expect, it } from 'vitest';
import { rebuildEnvironment } from './rebuild-environment.ts';

it('keeps what a build needs, and no secret', () => {
  const needed = {
    PATH: '/bin',
    HOME: '/root',
    LC_ALL: 'C',
    CCP_ENGINE: 'unix:///run/docker.sock',
    HTTPS_PROXY: 'http://proxy.test',
    GOPROXY: 'https://go.test',
  };
  expect(
    rebuildEnvironment({
      ...needed,
      AWS_SECRET_ACCESS_KEY: 'a',
      COSIGN_PASSWORD: 'a',
      DOCKER_CONFIG: '/root/.docker',
      GITHUB_TOKEN: 'a',
      KUBECONFIG: '/root/.kube/config',
      NODE_OPTIONS: '--require=/a',
      LD_PRELOAD: '/a.so',
      REGISTRY_AUTH_FILE: '/a',
      SSH_AUTH_SOCK: '/a',
    }),
  ).toEqual(needed);
});
