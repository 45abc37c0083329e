import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '#host';
import { runProgram } from '../run-program.ts';

/**
 * A certificate to be signed by the folder's authority; `names` are in OpenSSL's form (`DNS:x`,
 * `IP:127.0.0.1`).
 */
export interface CertificateRequest {
  /** Base name of the files `<name>.crt` and `<name>.key`. */
  readonly name: string;
  /** Such as `/O=system:masters/CN=admin`. */
  readonly subject: string;
  readonly use: 'serverAuth' | 'clientAuth';
  readonly names?: readonly string[];
}

const DAYS = '3650';
const KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
const AUTHORITY =
  '-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature';

/** Creates the authority `ca.crt` and `ca.key` in a folder with OpenSSL. */
export async function createAuthority(folder: string): Promise<void> {
  await runProgram(
    'openssl',
    `req -x509 ${KEY} -keyout ca.key -out ca.crt -days ${DAYS} -subj /CN=ccp ${AUTHORITY}`.split(
      ' ',
    ),
    { folder },
  );
}

/** Creates a key and a certificate signed by the folder's authority. */
export async function createCertificate(
  folder: string,
  { name, subject, use, names = [] }: CertificateRequest,
): Promise<void> {
  const extensions = join(folder, `${name}.ext`);
  const lines = [
    'basicConstraints=CA:FALSE',
    'keyUsage=critical,digitalSignature,keyEncipherment',
    `extendedKeyUsage=${use}`,
  ];
  await writeFile(
    extensions,
    [...lines, ...(names.length > 0 ? [`subjectAltName=${names.join(',')}`] : [])].join('\n'),
  );
  const request = await runProgram(
    'openssl',
    [...`req ${KEY} -keyout ${name}.key -subj`.split(' '), subject],
    { folder },
  );
  const serial = `0x${Buffer.from(name).toString('hex').slice(0, 16)}01`;
  const sign =
    `x509 -req -CA ca.crt -CAkey ca.key -set_serial ${serial} -days ${DAYS} -out ${name}.crt -extfile`.split(
      ' ',
    );
  await runProgram('openssl', [...sign, extensions], { folder, input: request });
  await rm(extensions);
}

/** Creates the RSA key pair `<name>.key` and `<name>.pub`. */
export async function createKeyPair(folder: string, name: string): Promise<void> {
  await runProgram('openssl', ['genrsa', '-out', `${name}.key`, '2048'], { folder });
  await runProgram('openssl', ['rsa', '-in', `${name}.key`, '-pubout', '-out', `${name}.pub`], {
    folder,
  });
}

/**
 * A self-contained kubeconfig: the server, the folder's authority and the certificate of `user`.
 */
export interface KubeconfigRequest {
  readonly user: string;
  /** `https://HOST:PORT`. */
  readonly server: string;
  /** Name of its context and its cluster. */
  readonly context: string;
  /** Path of the file; default: `<user>.kubeconfig` in the folder. */
  readonly path?: string;
}

/**
 * Writes a kubeconfig that only its owner can read; resolves with its path. Another process that
 * waits for the file never sees a part of it.
 */
export async function writeKubeconfig(
  folder: string,
  { user, server, context, path = join(folder, `${user}.kubeconfig`) }: KubeconfigRequest,
): Promise<string> {
  const base64 = async (file: string) => (await readFile(join(folder, file))).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: context, cluster: { server, 'certificate-authority-data': await base64('ca.crt') } },
    ],
    users: [
      {
        name: user,
        user: {
          'client-certificate-data': await base64(`${user}.crt`),
          'client-key-data': await base64(`${user}.key`),
        },
      },
    ],
    contexts: [{ name: context, context: { cluster: context, user } }],
    'current-context': context,
  };
  replaceFile(path, JSON.stringify(config, null, 2), { flush: false, mode: 0o600 });
  return path;
}
