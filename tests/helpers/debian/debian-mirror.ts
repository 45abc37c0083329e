import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openPgpSigner } from './openpgp-signer.ts';

/** A package of a mirror: its stanza in the lists, with Filename, Size and SHA256. */
export interface MirrorPackage {
  readonly stanza: string;
  /** Path of the file, `pool/...`. */
  readonly pool: string;
  read(): Promise<Uint8Array>;
}

/** A Debian archive on loopback, whose lists change only by `publish`. */
export interface DebianMirror {
  /** Root of the archive and of its security archive. */
  readonly url: string;
  /** Absolute path of the keyring that signs the lists. */
  readonly keyring: string;
  /** Lines of `.ccp.yaml` that name the mirror. */
  readonly settings: string;
  /** Lists these packages instead of the previous ones. */
  publish(packages: readonly MirrorPackage[]): void;
  /** Serves these files in addition to those of the lists. */
  keepInPool(packages: readonly MirrorPackage[]): void;
  close(): Promise<void>;
}

/** Starts a mirror of the suites; `folder` gets the keyring. */
export async function debianMirror(
  suites: readonly string[],
  folder: string,
): Promise<DebianMirror> {
  const signer = openPgpSigner();
  const keyring = `${folder}/archive.gpg`;
  writeFileSync(keyring, signer.keyring);
  const lists = new Map<string, string>();
  const pool = new Map<string, MirrorPackage>();
  let older: readonly MirrorPackage[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const list = lists.get(path);
    const file = pool.get(path);
    if (list !== undefined) response.end(list);
    else if (file === undefined) response.writeHead(404).end();
    else
      file.read().then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const dist = (name: string, packages: string): void => {
    const release = releaseOf(name, packages);
    lists.set(`dists/${name}/main/binary-amd64/Packages`, packages);
    lists.set(`dists/${name}/Release`, release);
    lists.set(`dists/${name}/Release.gpg`, signer.sign(Buffer.from(release)));
  };
  const serve = (packages: readonly MirrorPackage[]): void => {
    pool.clear();
    for (const item of [...older, ...packages]) pool.set(item.pool, item);
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mirror: DebianMirror = {
    url,
    keyring,
    settings: `mirrors:\n  debian: [${url}]\n  debianSecurity: [${url}]\n  debianKeyring: ${keyring}\n`,
    publish: (packages) => {
      serve(packages);
      const text = packages.map(({ stanza }) => `${stanza}\n\n`).join('');
      for (const suite of suites) {
        dist(suite, text);
        dist(`${suite}-updates`, '');
        dist(`${suite}-security`, '');
      }
    },
    keepInPool: (packages) => {
      older = packages;
      for (const item of packages) pool.set(item.pool, item);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  mirror.publish([]);
  return mirror;
}

function releaseOf(name: string, packages: string): string {
  const hash = createHash('sha256').update(packages).digest('hex');
  return [
    'Origin: test',
    `Suite: ${name}`,
    `Codename: ${name}`,
    `Date: ${new Date().toUTCString().replace('GMT', 'UTC')}`,
    'Architectures: amd64',
    'Components: main',
    'SHA256:',
    ` ${hash} ${Buffer.byteLength(packages)} main/binary-amd64/Packages`,
    '',
  ].join('\n');
}
