import { existsSync } from 'node:fs';
import { chmod, cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CcpError } from '#core';
import { runCommand } from '../run-command.ts';

/** What the modules of a cluster are built with; the newest patch of the minor version that Kubernetes names in its go.mod. */
const GO_VERSION = '1.26.8';
const MINOR = /^go(\d+)\.(\d+)/;

/**
 * A `go` new enough for the modules: the one on the PATH, or one that it fetches through the Go module proxy as the module
 * golang.org/toolchain, checked by Go's checksum database and kept in `cache`. Any `go` since 1.11 can fetch it, Debian's
 * golang-go too. Raises `machine-go` where there is none.
 */
export async function goToolchain(cache: string): Promise<string> {
  const version = await runCommand('go', ['env', 'GOVERSION'], { env: { GOTOOLCHAIN: 'local' } }).catch(() => undefined);
  if (version === undefined)
    throw new CcpError({ code: 'machine-go', message: 'building the programs of a cluster needs `go`', hint: 'install the Debian package golang-go' });
  if (isEnough(version)) return 'go';
  const folder = join(cache, `go${GO_VERSION}`);
  const program = join(folder, 'bin', 'go');
  if (existsSync(program)) return program;
  const module = `golang.org/toolchain@v0.0.1-go${GO_VERSION}.linux-${process.arch === 'arm64' ? 'arm64' : 'amd64'}`;
  const { Dir } = JSON.parse(await runCommand('go', ['mod', 'download', '-json', module], { folder: '/', env: { GOTOOLCHAIN: 'local', GOFLAGS: '' } })) as {
    readonly Dir: string;
  };
  const partial = `${folder}.${process.pid}`;
  await rm(partial, { recursive: true, force: true });
  await cp(Dir, partial, { recursive: true });
  await makeRunnable(partial);
  await rename(partial, folder).catch(async () => await rm(partial, { recursive: true, force: true }));
  return program;
}

/** Whether `version`, as `go1.26.8`, can build the modules. */
export function isEnough(version: string): boolean {
  const [, major, minor] = MINOR.exec(version.trim())?.map(Number) ?? [];
  const [, wantedMajor, wantedMinor] = MINOR.exec(`go${GO_VERSION}`)?.map(Number) as [number, number, number];
  return major !== undefined && minor !== undefined && (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor));
}

/** Files of a module carry no executable bit. */
async function makeRunnable(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (/\/(bin|pkg\/tool\/[^/]+)$/.test(entry.parentPath)) await chmod(path, 0o755);
  }
}
