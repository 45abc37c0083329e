import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../run-command.ts';

/** A certificate that the folder's authority signs; `names` as OpenSSL spells them (`DNS:x`, `IP:127.0.0.1`). */
export interface CertificateRequest {
  /** Files `<name>.crt` and `<name>.key`. */
  readonly name: string;
  /** `/O=system:masters/CN=admin`. */
  readonly subject: string;
  readonly use: 'serverAuth' | 'clientAuth';
  readonly names?: readonly string[];
}

const DAYS = '3650';
const KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
const AUTHORITY = '-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature';

/** Makes an authority `ca.crt`, `ca.key` in a folder, by OpenSSL. */
export async function makeAuthority(folder: string): Promise<void> {
  await runCommand('openssl', `req -x509 ${KEY} -keyout ca.key -out ca.crt -days ${DAYS} -subj /CN=ccp ${AUTHORITY}`.split(' '), { folder });
}

/** Makes a key and a certificate that the folder's authority signs. */
export async function makeCertificate(folder: string, { name, subject, use, names = [] }: CertificateRequest): Promise<void> {
  const extensions = join(folder, `${name}.ext`);
  const lines = ['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature,keyEncipherment', `extendedKeyUsage=${use}`];
  await writeFile(extensions, [...lines, ...(names.length > 0 ? [`subjectAltName=${names.join(',')}`] : [])].join('\n'));
  const request = await runCommand('openssl', [...`req ${KEY} -keyout ${name}.key -subj`.split(' '), subject], { folder });
  const serial = `0x${Buffer.from(name).toString('hex').slice(0, 16)}01`;
  const sign = `x509 -req -CA ca.crt -CAkey ca.key -set_serial ${serial} -days ${DAYS} -out ${name}.crt -extfile`.split(' ');
  await runCommand('openssl', [...sign, extensions], { folder, input: request });
  await rm(extensions);
}

/** Makes an RSA key pair `<name>.key`, `<name>.pub`. */
export async function makeKeyPair(folder: string, name: string): Promise<void> {
  await runCommand('openssl', ['genrsa', '-out', `${name}.key`, '2048'], { folder });
  await runCommand('openssl', ['rsa', '-in', `${name}.key`, '-pubout', '-out', `${name}.pub`], { folder });
}

/** A kubeconfig with everything in it: the server, the folder's authority, the certificate of `user`. */
export interface KubeconfigRequest {
  readonly user: string;
  /** `https://HOST:PORT`. */
  readonly server: string;
  /** Name of its one context, and of its cluster. */
  readonly context: string;
  /** Where it is written; `<user>.kubeconfig` in the folder by default. */
  readonly path?: string;
}

/** Writes a kubeconfig that only its owner may read; resolves with its path. */
export async function writeKubeconfig(
  folder: string,
  { user, server, context, path = join(folder, `${user}.kubeconfig`) }: KubeconfigRequest,
): Promise<string> {
  const base64 = async (file: string) => (await readFile(join(folder, file))).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: context, cluster: { server, 'certificate-authority-data': await base64('ca.crt') } }],
    users: [{ name: user, user: { 'client-certificate-data': await base64(`${user}.crt`), 'client-key-data': await base64(`${user}.key`) } }],
    contexts: [{ name: context, context: { cluster: context, user } }],
    'current-context': context,
  };
  await writeFile(path, JSON.stringify(config, null, 2), { mode: 0o600 });
  return path;
}
