import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** A registry of Debian's package `docker-registry`, which has no referrers API. */
export interface DebianRegistry {
  /** `HOST:PORT`. */
  readonly address: string;
  /** The folder with its blobs: `sha256/AB/HEX/data`. */
  readonly blobs: string;
  close(): Promise<void>;
}

/**
 * Starts the registry on loopback, or another address, with its state in `folder`. The package is
 * downloaded by apt and unpacked there, unless the program is installed.
 */
export async function startDebianRegistry(
  folder: string,
  host = '127.0.0.1',
): Promise<DebianRegistry> {
  mkdirSync(folder, { recursive: true });
  const address = `${host}:${await freePort()}`;
  const config = join(folder, 'config.yml');
  writeFileSync(
    config,
    [
      'version: 0.1',
      'log: { level: error }',
      `storage: { filesystem: { rootdirectory: ${JSON.stringify(join(folder, 'data'))} } }`,
      `http: { addr: ${JSON.stringify(address)} }`,
    ].join('\n'),
  );
  const server = spawn(program(folder), ['serve', config], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => void server.once('exit', () => resolve()));
  for (let attempt = 0; !(await answers(address)); attempt += 1) {
    if (attempt === 100 || server.exitCode !== null)
      throw new Error('docker-registry does not answer');
    await setTimeout(100);
  }
  return {
    address,
    blobs: join(folder, 'data/docker/registry/v2/blobs'),
    close: async () => {
      server.kill();
      await ended;
    },
  };
}

function program(folder: string): string {
  const installed = '/usr/bin/docker-registry';
  if (existsSync(installed)) return installed;
  execFileSync('apt-get', ['-qq', 'download', 'docker-registry'], { cwd: folder, stdio: 'pipe' });
  const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  execFileSync('dpkg-deb', ['-x', file, 'package'], { cwd: folder });
  return join(folder, 'package', installed);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}

async function answers(address: string): Promise<boolean> {
  try {
    return (await fetch(`http://${address}/v2/`)).ok;
  } catch {
    return false;
  }
}
