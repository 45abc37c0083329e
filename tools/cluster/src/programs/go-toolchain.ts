import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CcpError } from '#core';
import { toolchainModule, toolchainProgram } from '#host';
import { runProgram } from '../run-program.ts';

/**
 * Go version for the modules of a cluster: the newest patch of the minor version in Kubernetes'
 * go.mod.
 */
const GO_VERSION = '1.26.8';
/** Hashes of its modules in Go's checksum database. */
const SUMS = {
  amd64: 'h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=',
  arm64: 'h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=',
} as const;
const MINOR = /^go(\d+)\.(\d+)/;

/**
 * A `go` that is new enough for the modules: the one in PATH, or a toolchain that it downloads as
 * the module golang.org/toolchain through the Go module proxy. The toolchain is kept in `cache` and
 * its hash is checked on each use. Any `go` since 1.11 can download it, including Debian's
 * golang-go. Throws `machine-go` if `go` is missing.
 */
export async function ensureGoToolchain(cache: string): Promise<string> {
  const version = await runProgram('go', ['env', 'GOVERSION'], {
    env: { GOTOOLCHAIN: 'local' },
  }).catch(() => undefined);
  if (version === undefined)
    throw new CcpError({
      code: 'machine-go',
      message: 'cannot build the programs of a cluster: `go` not found',
      hint: 'install the Debian package golang-go',
    });
  if (isNewEnough(version)) return 'go';
  const folder = join(cache, `go${GO_VERSION}`);
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const module = toolchainModule(GO_VERSION, arch);
  if (existsSync(folder)) return toolchainProgram(folder, module, SUMS[arch]);
  const { Dir } = JSON.parse(
    await runProgram('go', ['mod', 'download', '-json', `${module.name}@${module.version}`], {
      folder: '/',
      env: { GOTOOLCHAIN: 'local', GOFLAGS: '' },
    }),
  ) as {
    readonly Dir: string;
  };
  const partial = `${folder}.${process.pid}`;
  await rm(partial, { recursive: true, force: true });
  await cp(Dir, partial, { recursive: true });
  await rename(partial, folder).catch(
    async () => await rm(partial, { recursive: true, force: true }),
  );
  return toolchainProgram(folder, module, SUMS[arch]);
}

/** Whether `version`, such as `go1.26.8`, can build the modules. */
export function isNewEnough(version: string): boolean {
  const [, major, minor] = MINOR.exec(version.trim())?.map(Number) ?? [];
  const [, wantedMajor, wantedMinor] = MINOR.exec(`go${GO_VERSION}`)!.map(Number) as [
    number,
    number,
    number,
  ];
  return (
    major !== undefined &&
    minor !== undefined &&
    (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor))
  );
}
