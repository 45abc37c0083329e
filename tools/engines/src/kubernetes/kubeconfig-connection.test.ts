import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redact } from '#core';
import {
  folder,
  write,
  config,
  connectionOf,
  made,
  CERT,
  KEY,
} from '../testing/kubeconfig-files.ts';
import { kubeconfigConnection } from './kubeconfig-connection.ts';
import { readKubeconfig } from './read-kubeconfig.ts';
import { serviceAccountConnection } from './service-account.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

const [CA, OTHER_KEY] = made('other');

const pairOf = (certificate: string, key: string): string =>
  config({
    user: `client-certificate-data: ${base64(certificate)}, client-key-data: ${base64(key)}`,
  });

describe('a context of a kubeconfig', () => {
  it('has a server, namespace, authority and client certificate', async () => {
    const user = `client-certificate-data: ${base64(CERT)}, client-key-data: ${base64(KEY)}`;
    const connection = await connectionOf(
      config({
        cluster: `certificate-authority-data: ${base64(CA)}, tls-server-name: api`,
        user,
        context: 'namespace: web',
      }),
    );
    expect(connection).toMatchObject({
      name: 'here',
      server: 'https://10.0.0.1:6443',
      namespace: 'web',
      tls: { ca: CA, serverName: 'api' },
    });
    expect(await connection.credentials.get()).toEqual({ certificate: CERT, key: KEY });
  });

  it('resolves file names relative to the kubeconfig', async () => {
    write('ca.crt', CA);
    write('token', 'token-of-a-file\n');
    const connection = await connectionOf(
      config({ cluster: 'certificate-authority: ca.crt', user: 'tokenFile: token' }),
    );
    expect([connection.tls.ca, await connection.credentials.get()]).toEqual([
      CA,
      { token: 'token-of-a-file' },
    ]);
    write('token', 'token-that-is-new\n');
    expect([
      await connection.credentials.get(),
      await connection.credentials.get({ refresh: true }),
    ]).toEqual([{ token: 'token-of-a-file' }, { token: 'token-that-is-new' }]);
  });

  it('supports impersonation', async () => {
    expect(
      (await connectionOf(config({ user: 'token: abcdef, as: jo, as-groups: [ops]' }))).impersonate,
    ).toEqual({ user: 'jo', groups: ['ops'] });
  });

  it('keeps tokens out of all output', async () => {
    await connectionOf(config({ user: 'token: very-secret-token' }));
    expect(redact('x very-secret-token y')).toBe('x *** y');
  });

  it('must be secure', async () => {
    const text = config({ cluster: 'insecure-skip-tls-verify: true' });
    await expect(connectionOf(text)).rejects.toMatchObject({
      message:
        'the server of context "here" is used without certificate verification (insecure-skip-tls-verify)',
      hint: `remove insecure-skip-tls-verify from ${join(folder, 'config')} and set certificate-authority; if the certificate has another name, set tls-server-name`,
    });
    await expect(
      connectionOf(text.replace('https:', 'http:').replace('insecure-skip-tls-verify: true', '')),
    ).rejects.toMatchObject({
      message:
        'the server of context "here" has an http address: ccp connects to other machines only with TLS',
      hint: `set its https address in ${join(folder, 'config')}`,
    });
  });

  it('merges files and uses the first entry of a name', async () => {
    const first = write(
      'first',
      'current-context: b\nclusters: [{name: c, cluster: {server: "https://first"}}]\n',
    );
    const second = write(
      'second',
      'current-context: a\ncontexts: [{name: b, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "https://second"}}]\n',
    );
    const read = await readKubeconfig([join(folder, 'absent'), first, second]);
    expect(kubeconfigConnection(read!, {})).toMatchObject({ name: 'b', server: 'https://first' });
  });
});

it.each([
  ['contexts: [', ':1:12: invalid YAML (BAD_INDENT)'],
  ['[]', ' is not a kubeconfig: not a mapping'],
  ['{', ' is not a kubeconfig: invalid JSON or YAML'],
  ['contexts: 1', ': contexts is not a list'],
  ['contexts: [{context: {}}]', ': contexts[0] has no name'],
  ['apiVersion: v1', ': current-context is not set'],
  [
    'a: &a [1,1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]',
    ' is not a kubeconfig: invalid JSON or YAML',
  ],
  [
    config({}).replace('current-context: here', 'current-context: hare'),
    ': context "hare" not found',
  ],
  [
    config({}).replace('https://10.0.0.1:6443', '10.0.0.1:6443'),
    ': "10.0.0.1:6443" is not a valid server address',
  ],
  [
    config({ cluster: 'proxy-url: "socks5://127.0.0.1:1"' }),
    ': proxy-url is not the address of an HTTP proxy',
  ],
  [config({ user: 'username: jo' }), ': users with "username" are not supported'],
  [
    config({ user: `client-certificate-data: ${base64(CERT)}` }),
    ': a user has only one of client-certificate and client-key',
  ],
  [pairOf('garbage', KEY), ': client-certificate is not a PEM certificate'],
  [pairOf(CERT, CERT), ': client-key is not a PEM private key'],
  [pairOf(CERT, OTHER_KEY), ': client-key is not the key of its certificate'],
  [
    config({ cluster: `certificate-authority-data: ${base64(KEY)}` }),
    ': certificate-authority is not a PEM certificate',
  ],
  [
    config({ cluster: 'certificate-authority: pipe' }),
    `: cannot read certificate-authority: ${join(folder, 'pipe')} is a pipe, not a regular file`,
  ],
  [
    config({ cluster: 'certificate-authority: absent.crt' }),
    `: cannot read certificate-authority: ENOENT: no such file or directory, open '${join(folder, 'absent.crt')}'`,
  ],
  [
    config({ user: 'exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}' }),
    ': exec plugins with apiVersion client.authentication.k8s.io/v1alpha1 are not supported',
  ],
])('names the file of an invalid kubeconfig: %j', async (text, message) => {
  await expect(connectionOf(text)).rejects.toMatchObject({
    code: 'cluster-config',
    message: `${join(folder, 'config')}${message}`,
  });
});

it('refuses a named pipe, and reads a pipe opened by a shell', async () => {
  const pipe = join(folder, 'pipe');
  await expect(readKubeconfig([pipe])).rejects.toMatchObject({
    code: 'cluster-config',
    message: `cannot read the kubeconfig ${pipe}: ${pipe} is a pipe, not a regular file`,
  });
  const script = `import { readKubeconfig } from ${JSON.stringify(new URL('./read-kubeconfig.ts', import.meta.url).href)};
    console.log((await readKubeconfig([process.argv[1]])).currentContext);`;
  const file = write('config', config({}));
  expect(
    execFileSync(
      'bash',
      ['-c', '"$0" --input-type=module -e "$1" <(cat "$2")', process.execPath, script, file],
      { encoding: 'utf8' },
    ),
  ).toBe('here\n');
});

it('connects a pod to its cluster with its service account', async () => {
  const account = join(folder, 'account');
  mkdirSync(account);
  for (const [file, text] of [
    ['token', 'pod-token'],
    ['namespace', 'web'],
    ['ca.crt', 'CA'],
  ] as const)
    writeFileSync(join(account, file), text);
  const connection = serviceAccountConnection(
    { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' },
    account,
  );
  expect(connection).toMatchObject({
    name: 'in-cluster',
    server: 'https://[fd00::1]:443',
    namespace: 'web',
    tls: { ca: 'CA' },
  });
  expect(await connection?.credentials.get()).toEqual({ token: 'pod-token' });
  expect(serviceAccountConnection({}, account)).toBeUndefined();
});
