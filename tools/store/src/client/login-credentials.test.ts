import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loginCredentials } from './login-credentials.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-logins-'));
afterAll(() => rmSync(root, { recursive: true }));

it('reads the credentials files of docker login and podman login', () => {
  const [podman, docker] = [join(root, 'auth.json'), join(root, 'config.json')];
  writeFileSync(
    podman,
    JSON.stringify({ auths: { 'quay.io': { auth: Buffer.from('a:b:c').toString('base64') } } }),
  );
  writeFileSync(
    docker,
    JSON.stringify({
      credsStore: 'x',
      auths: {
        'https://index.docker.io/v1/': { auth: '', identitytoken: 'id-token' },
        'quay.io': {},
        empty: {},
      },
    }),
  );
  const find = loginCredentials({ REGISTRY_AUTH_FILE: podman, DOCKER_CONFIG: root });
  expect(['quay.io', 'docker.io', 'empty', 'other'].map((host) => find(host))).toEqual([
    { user: 'a', password: 'b:c' },
    { identityToken: 'id-token' },
    undefined,
    undefined,
  ]);
  writeFileSync(podman, 'secret stuff');
  expect(() => loginCredentials({ REGISTRY_AUTH_FILE: podman })('quay.io')).toThrow(
    `the registry credentials file ${podman} is not valid JSON`,
  );
});

it('asks credential helpers, by host and for all hosts', () => {
  const folder = join(root, 'helpers');
  mkdirSync(folder);
  const helper = (name: string, script: string): void =>
    writeFileSync(join(folder, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`, {
      mode: 0o755,
    });
  const config = (value: object): void =>
    writeFileSync(join(folder, 'config.json'), JSON.stringify(value));
  const find = (host: string) =>
    loginCredentials({ DOCKER_CONFIG: folder, PATH: `${folder}:${process.env['PATH']}` })(host);
  helper('one', 'read host; echo "{\\"Username\\":\\"me\\",\\"Secret\\":\\"secret-of-$host\\"}"');
  helper('token', 'echo \'{"Username":"<token>","Secret":"identity-5151"}\'');
  helper('empty', 'echo "credentials not found in native keychain"; exit 1');
  helper('odd', 'echo s3cret-text');
  config({
    credHelpers: { 'a.test': 'one', 'b.test': 'odd', 'c.test': 'gone' },
    credsStore: 'token',
  });
  expect(find('a.test')).toEqual({ user: 'me', password: 'secret-of-a.test' });
  expect(find('other.test')).toEqual({ identityToken: 'identity-5151' });
  expect(() => find('b.test')).toThrow(
    'the credential helper docker-credential-odd printed no credentials',
  );
  expect(() => find('c.test')).toThrow('the credential helper docker-credential-gone is missing');
  config({ credsStore: 'empty' });
  expect(find('other.test')).toBeUndefined();
  config({ credHelpers: { 'a.test': '../x' } });
  expect(() => find('a.test')).toThrow(
    'the credential helper docker-credential-../x has an invalid name',
  );
});
