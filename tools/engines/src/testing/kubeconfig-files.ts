import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../kubernetes/connection.ts';
import { kubeconfigConnection } from '../kubernetes/kubeconfig-connection.ts';
import { readKubeconfig } from '../kubernetes/read-kubeconfig.ts';

export const folder = mkdtempSync(join(tmpdir(), 'ccp-kubeconfig-'));

export const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

export const config = (parts: {
  readonly cluster?: string;
  readonly user?: string;
  readonly context?: string;
}) => `
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, ${parts.context ?? ''}}}]
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443", ${parts.cluster ?? ''}}}]
users: [{name: u, user: {${parts.user ?? ''}}}]
`;

export const connectionOf = async (text: string): Promise<Connection> => {
  const read = await readKubeconfig([write('config', text)]);
  if (read === undefined) throw new Error('no kubeconfig');
  return kubeconfigConnection(read, {});
};

export const made = (name: string): readonly [string, string] => {
  const [certificate, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-subj', `/CN=${name}`, '-out', certificate, '-keyout', key],
    { stdio: 'pipe' },
  );
  return [readFileSync(certificate, 'utf8'), readFileSync(key, 'utf8')];
};
execFileSync('mkfifo', [join(folder, 'pipe')]);

export const [CERT, KEY] = made('one');
