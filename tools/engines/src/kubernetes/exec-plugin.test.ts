import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, write, config, connectionOf } from '../testing/kubeconfig-files.ts';

describe('an exec plugin', () => {
  const plugin = (script: string, more = ''): string => {
    const path = write('plugin', `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return config({
      user: `exec: {command: ./plugin, args: [one], env: [{name: WORD, value: two}], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never${more}}`,
    });
  };
  const answer = (status: string) =>
    `echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":${status}}'`;

  it('receives the cluster data; its token is used until it expires', async () => {
    const soon = new Date(Date.now() + 5_000).toISOString();
    const script = `echo "$1 $WORD $KUBERNETES_EXEC_INFO" >> ${join(folder, 'calls')}\n${answer(`{"token":"plugin-token"}`)}`;
    const { credentials } = await connectionOf(plugin(script, ', provideClusterInfo: true'));
    expect([await credentials.get(), await credentials.get()]).toEqual([
      { token: 'plugin-token' },
      { token: 'plugin-token' },
    ]);
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatch(/^one two /);
    expect(JSON.parse((calls[0] as string).slice('one two '.length))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://10.0.0.1:6443/' } },
    });
    const { credentials: short } = await connectionOf(
      plugin(
        `echo x >> ${join(folder, 'short')}\n${answer(`{"token":"short-token","expirationTimestamp":"${soon}"}`)}`,
      ),
    );
    await short.get();
    await short.get();
    expect(readFileSync(join(folder, 'short'), 'utf8')).toBe('x\nx\n');
  });

  it.each([
    ['exit 3', 'failed: it exited with code 3'],
    [
      'echo secret-in-output; for i in 1 2 3 4 5 6 7 8 9; do echo "line $i" >&2; done; printf "\\033[31mexpired, sign in\\033[0m\\n" >&2; exit 1',
      `failed: it exited with code 1${[3, 4, 5, 6, 7, 8, 9].map((line) => `\n  | line ${line}`).join('')}\n  | expired, sign in`,
    ],
    [
      'echo "$1 of a secret" >&2; kill -9 $$',
      'failed: it was terminated by SIGKILL\n  | one of a secret',
    ],
    ['head -c 1100000 /dev/zero', 'failed: it printed more than 1024 KiB'],
    ['echo secret-in-output', 'did not print JSON'],
    [
      'echo "{}"',
      'did not print an ExecCredential with apiVersion client.authentication.k8s.io/v1',
    ],
    [answer('{}'), 'returned neither a token nor a client certificate with its key'],
  ])(
    'is reported with its stderr and without its stdout if it fails: %s',
    async (script, message) => {
      const { credentials } = await connectionOf(plugin(script));
      await expect(credentials.get()).rejects.toMatchObject({
        code: 'cluster-config',
        message: `the exec plugin ${join(folder, 'plugin')} ${message}`,
      });
    },
  );

  it('has its stderr redacted and shortened', async () => {
    const stderr = [
      'POST https://jo:hunter2@sso.test/token',
      '> Authorization: Bearer one-of-mine',
      '{"token":"two-of-mine","error":"expired"}',
      '-----BEGIN PRIVATE KEY-----',
      ...Array.from({ length: 9 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'),
      '-----END PRIVATE KEY-----',
      `${'x'.repeat(280)} https://jo:${'p'.repeat(40)}@sso.test`,
    ];
    const { credentials } = await connectionOf(
      plugin(`cat >&2 <<'END'\n${stderr.join('\n')}\nEND\nexit 1`),
    );
    await expect(credentials.get()).rejects.toMatchObject({
      message: [
        `the exec plugin ${join(folder, 'plugin')} failed: it exited with code 1`,
        'POST https://***@sso.test/token',
        '> Authorization: Bearer ***',
        '{"token":"***","error":"expired"}',
        '-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----',
        `${'x'.repeat(280)} https://***@sso.tes`,
      ].join('\n  | '),
    });
  });

  it('is reported with its installation hint if it is not installed', async () => {
    const { credentials } = await connectionOf(
      config({
        user: 'exec: {command: absent-plugin, apiVersion: client.authentication.k8s.io/v1, installHint: get it from your cloud}',
      }),
    );
    await expect(credentials.get()).rejects.toMatchObject({
      message: 'the exec plugin absent-plugin failed: it was not found in PATH',
      hint: 'get it from your cloud',
    });
  });
});
