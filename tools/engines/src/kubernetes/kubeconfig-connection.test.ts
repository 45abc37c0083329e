import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { redact } from '#core';
import type { Connection } from './connection.ts';
import { kubeconfigConnection } from './kubeconfig-connection.ts';
import { readKubeconfig } from './read-kubeconfig.ts';
import { serviceAccountConnection } from './service-account.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-kubeconfig-'));
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const config = (parts: { readonly cluster?: string; readonly user?: string; readonly context?: string }) => `
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, ${parts.context ?? ''}}}]
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", ${parts.cluster ?? ''}}}]
users: [{name: u, user: {${parts.user ?? ''}}}]
`;
const connectionOf = async (text: string): Promise<Connection> => {
  const read = await readKubeconfig([write('config', text)]);
  if (read === undefined) throw new Error('no kubeconfig');
  return kubeconfigConnection(read, {});
};
const base64 = (text: string) => Buffer.from(text).toString('base64');
const made = (name: string): readonly [string, string] => {
  const [certificate, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-subj', `/CN=${name}`, '-out', certificate, '-keyout', key], { stdio: 'pipe' });
  return [readFileSync(certificate, 'utf8'), readFileSync(key, 'utf8')];
};
execFileSync('mkfifo', [join(folder, 'pipe')]);
const [CERT, KEY] = made('one');
const [CA, OTHER_KEY] = made('other');
const pairOf = (certificate: string, key: string): string =>
  config({ user: `client-certificate-data: ${base64(certificate)}, client-key-data: ${base64(key)}` });

describe('a context of a kubeconfig', () => {
  it('names server, namespace, authority and client certificate', async () => {
    const user = `client-certificate-data: ${base64(CERT)}, client-key-data: ${base64(KEY)}`;
    const connection = await connectionOf(
      config({ cluster: `certificate-authority-data: ${base64(CA)}, tls-server-name: api`, user, context: 'namespace: web' }),
    );
    expect(connection).toMatchObject({ name: 'here', server: 'https://10.0.0.1:6443', namespace: 'web', tls: { ca: CA, serverName: 'api' } });
    expect(await connection.credentials.get()).toEqual({ certificate: CERT, key: KEY });
  });

  it('finds files beside the kubeconfig', async () => {
    write('ca.crt', CA);
    write('token', 'token-of-a-file\n');
    const connection = await connectionOf(config({ cluster: 'certificate-authority: ca.crt', user: 'tokenFile: token' }));
    expect([connection.tls.ca, await connection.credentials.get()]).toEqual([CA, { token: 'token-of-a-file' }]);
    write('token', 'token-that-is-new\n');
    expect([await connection.credentials.get(), await connection.credentials.get({ refresh: true })]).toEqual([
      { token: 'token-of-a-file' },
      { token: 'token-that-is-new' },
    ]);
  });

  it('acts for another user where it says so', async () => {
    expect((await connectionOf(config({ user: 'token: abcdef, as: jo, as-groups: [ops]' }))).impersonate).toEqual({ user: 'jo', groups: ['ops'] });
  });

  it('keeps tokens out of all output', async () => {
    await connectionOf(config({ user: 'token: very-secret-token' }));
    expect(redact('x very-secret-token y')).toBe('x *** y');
  });

  it('may not be insecure', async () => {
    const text = config({ cluster: 'insecure-skip-tls-verify: true' });
    await expect(connectionOf(text)).rejects.toMatchObject({
      message: 'the server of context "here" has a certificate that nobody checks',
      hint: `take insecure-skip-tls-verify out of ${join(folder, 'config')} and give its certificate-authority; where its certificate has another name, give that as tls-server-name`,
    });
    await expect(connectionOf(text.replace('https:', 'http:').replace('insecure-skip-tls-verify: true', ''))).rejects.toMatchObject({
      message: 'the server of context "here" is asked without TLS',
    });
  });

  it('joins files: of a name that several have, the first counts', async () => {
    const first = write('first', 'current-context: b\nclusters: [{name: c, cluster: {server: "https://first"}}]\n');
    const second = write(
      'second',
      'current-context: a\ncontexts: [{name: b, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "https://second"}}]\n',
    );
    const read = await readKubeconfig([join(folder, 'absent'), first, second]);
    expect(kubeconfigConnection(read!, {})).toMatchObject({ name: 'b', server: 'https://first' });
  });
});

test.each([
  ['contexts: [', ':1:12: not YAML (BAD_INDENT)'],
  ['[]', ' is no kubeconfig: it is not a mapping'],
  ['{', ' is no kubeconfig: it cannot be parsed'],
  ['contexts: 1', ': contexts is not a list'],
  ['contexts: [{context: {}}]', ': contexts[0] has no name'],
  ['apiVersion: v1', ' names no current context'],
  ['a: &a [1,1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]', ' is no kubeconfig: it cannot be parsed'],
  [config({}).replace('current-context: here', 'current-context: hare'), ': there is no context "hare"'],
  [config({}).replace('https://10.0.0.1:6443', '10.0.0.1:6443'), ': "10.0.0.1:6443" is not the address of a server'],
  [config({ cluster: 'proxy-url: "socks5://127.0.0.1:1"' }), ': proxy-url is not the address of an HTTP proxy'],
  [config({ user: 'username: jo' }), ': a user with "username" is not understood'],
  [config({ user: `client-certificate-data: ${base64(CERT)}` }), ': a user has a client certificate or its key, but not both'],
  [pairOf('garbage', KEY), ': its client-certificate is no certificate in PEM'],
  [pairOf(CERT, CERT), ': its client-key is no private key in PEM'],
  [pairOf(CERT, OTHER_KEY), ': its client-key is not the key of its certificate'],
  [config({ cluster: `certificate-authority-data: ${base64(KEY)}` }), ': its certificate-authority is no certificate in PEM'],
  [config({ cluster: 'certificate-authority: pipe' }), `: cannot read its certificate-authority: ${join(folder, 'pipe')} is a pipe, no file`],
  [
    config({ cluster: 'certificate-authority: absent.crt' }),
    `: cannot read its certificate-authority: ENOENT: no such file or directory, open '${join(folder, 'absent.crt')}'`,
  ],
  [
    config({ user: 'exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}' }),
    ': exec plugins of client.authentication.k8s.io/v1alpha1 are not understood',
  ],
])('what cannot be used is told with its file: %j', async (text, message) => {
  await expect(connectionOf(text)).rejects.toMatchObject({ code: 'cluster-config', message: `${join(folder, 'config')}${message}` });
});

test('a pipe that nobody writes to is no kubeconfig, one that a shell has opened is', async () => {
  const pipe = join(folder, 'pipe');
  await expect(readKubeconfig([pipe])).rejects.toMatchObject({
    code: 'cluster-config',
    message: `cannot read the kubeconfig ${pipe}: ${pipe} is a pipe, no file`,
  });
  const script = `import { readKubeconfig } from ${JSON.stringify(new URL('./read-kubeconfig.ts', import.meta.url).href)};
    console.log((await readKubeconfig([process.argv[1]])).currentContext);`;
  const file = write('config', config({}));
  expect(execFileSync('bash', ['-c', '"$0" --input-type=module -e "$1" <(cat "$2")', process.execPath, script, file], { encoding: 'utf8' })).toBe('here\n');
});

describe('an exec plugin', () => {
  const plugin = (script: string, more = ''): string => {
    const path = write('plugin', `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return config({
      user: `exec: {command: ./plugin, args: [one], env: [{name: WORD, value: two}], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never${more}}`,
    });
  };
  const answer = (status: string) => `echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":${status}}'`;

  it('is told the cluster, and its token is kept until it expires', async () => {
    const soon = new Date(Date.now() + 5_000).toISOString();
    const script = `echo "$1 $WORD $KUBERNETES_EXEC_INFO" >> ${join(folder, 'calls')}\n${answer(`{"token":"plugin-token"}`)}`;
    const { credentials } = await connectionOf(plugin(script, ', provideClusterInfo: true'));
    expect([await credentials.get(), await credentials.get()]).toEqual([{ token: 'plugin-token' }, { token: 'plugin-token' }]);
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatch(/^one two /);
    expect(JSON.parse((calls[0] as string).slice('one two '.length))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://10.0.0.1:6443/' } },
    });
    const { credentials: short } = await connectionOf(
      plugin(`echo x >> ${join(folder, 'short')}\n${answer(`{"token":"short-token","expirationTimestamp":"${soon}"}`)}`),
    );
    await short.get();
    await short.get();
    expect(readFileSync(join(folder, 'short'), 'utf8')).toBe('x\nx\n');
  });

  it.each([
    ['exit 3', 'failed: it ended with 3'],
    [
      'echo secret-in-output; for i in 1 2 3 4 5 6 7 8 9; do echo "line $i" >&2; done; printf "\\033[31mexpired, sign in\\033[0m\\n" >&2; exit 1',
      `failed: it ended with 1${[3, 4, 5, 6, 7, 8, 9].map((line) => `\n  | line ${line}`).join('')}\n  | expired, sign in`,
    ],
    ['echo "$1 of a secret" >&2; kill -9 $$', 'failed: it was ended by SIGKILL\n  | one of a secret'],
    ['head -c 1100000 /dev/zero', 'failed: it told more than 1024 KiB'],
    ['echo secret-in-output', 'did not print JSON'],
    ['echo "{}"', 'did not print an ExecCredential of client.authentication.k8s.io/v1'],
    [answer('{}'), 'gave neither a token nor a client certificate with its key'],
  ])('that fails is named with what it told, and without what it printed: %s', async (script, message) => {
    const { credentials } = await connectionOf(plugin(script));
    await expect(credentials.get()).rejects.toMatchObject({ code: 'cluster-config', message: `the exec plugin ${join(folder, 'plugin')} ${message}` });
  });

  it('keeps what it told free of secrets, and short', async () => {
    const told = [
      'POST https://jo:hunter2@sso.test/token',
      '> Authorization: Bearer one-of-mine',
      '{"token":"two-of-mine","error":"expired"}',
      '-----BEGIN PRIVATE KEY-----',
      ...Array.from({ length: 9 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'),
      '-----END PRIVATE KEY-----',
      `${'x'.repeat(280)} https://jo:${'p'.repeat(40)}@sso.test`,
    ];
    const { credentials } = await connectionOf(plugin(`cat >&2 <<'END'\n${told.join('\n')}\nEND\nexit 1`));
    await expect(credentials.get()).rejects.toMatchObject({
      message: [
        `the exec plugin ${join(folder, 'plugin')} failed: it ended with 1`,
        'POST https://***@sso.test/token',
        '> Authorization: Bearer ***',
        '{"token":"***","error":"expired"}',
        '-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----',
        `${'x'.repeat(280)} https://***@sso.tes`,
      ].join('\n  | '),
    });
  });

  it('that is not installed says how to get it', async () => {
    const { credentials } = await connectionOf(
      config({ user: 'exec: {command: absent-plugin, apiVersion: client.authentication.k8s.io/v1, installHint: get it from your cloud}' }),
    );
    await expect(credentials.get()).rejects.toMatchObject({
      message: 'the exec plugin absent-plugin failed: it is not on the PATH',
      hint: 'get it from your cloud',
    });
  });
});

test('a pod reaches its own cluster by its service account', async () => {
  const account = join(folder, 'account');
  mkdirSync(account);
  for (const [file, text] of [
    ['token', 'pod-token'],
    ['namespace', 'web'],
    ['ca.crt', 'CA'],
  ] as const)
    writeFileSync(join(account, file), text);
  const connection = serviceAccountConnection({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }, account);
  expect(connection).toMatchObject({ name: 'in-cluster', server: 'https://[fd00::1]:443', namespace: 'web', tls: { ca: 'CA' } });
  expect(await connection?.credentials.get()).toEqual({ token: 'pod-token' });
  expect(serviceAccountConnection({}, account)).toBeUndefined();
});
