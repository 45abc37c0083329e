import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError } from '#core';
import { runTool, toolEnvironment } from '../run-tool.ts';

const TIMEOUT_MS = 900_000;
/** What says which modules Go checks against its checksum database, and how proxies are asked. */
const SETTINGS = ['GOSUMDB', 'GONOSUMDB', 'GOPRIVATE', 'GOINSECURE', 'GOAUTH'] as const;

export interface GoToolOptions {
  /** Roots of module proxies, in order. */
  readonly proxies: readonly string[];
  /** Folder of modules and of what Go compiled. */
  readonly cache: string;
  readonly signal?: AbortSignal | undefined;
}

export interface GoRun {
  readonly folder: string;
  /** What differs from the environment of every run. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A Go command of one version; its settings come from its caller alone. */
export interface GoTool {
  /** Folder in which it keeps modules as the proxy serves them. */
  readonly downloads: string;
  /** What it prints. Raises `go-unresolvable` with what it says where it fails. */
  run(args: readonly string[], run: GoRun): Promise<string>;
}

/** A module as `go mod download -json` describes it. */
export interface DownloadedModule {
  /** Absolute paths of the module's file and of its unpacked tree. */
  readonly Zip: string;
  readonly Dir: string;
  /** `h1:…` */
  readonly Sum: string;
}

/** The module that holds a toolchain (https://go.dev/ref/mod#toolchain): its name and version. */
export function toolchainModule(version: string): { readonly name: string; readonly version: string } {
  return { name: 'golang.org/toolchain', version: `v0.0.1-go${version}.linux-amd64` };
}

/** A Go command: `program` is its path. */
export function openGoTool(program: string, { proxies, cache, signal }: GoToolOptions): GoTool {
  const modules = join(cache, 'modules');
  mkdirSync(modules, { recursive: true });
  const passed = Object.fromEntries(SETTINGS.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]])));
  const common = {
    ...passed,
    ...{ GOPROXY: proxies.join(','), GOMODCACHE: modules, GOCACHE: join(cache, 'build'), GOPATH: cache, GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local' },
    ...{ GO111MODULE: 'on', GOWORK: 'off', GOOS: 'linux', GOARCH: 'amd64', CGO_ENABLED: '0', GOROOT: '' },
  };
  return {
    downloads: join(modules, 'cache', 'download'),
    run: async (args, { folder, env = {} }) => {
      const result = await runTool(program, args, {
        cwd: folder,
        env: toolEnvironment({ ...common, ...env }),
        timeoutMs: TIMEOUT_MS,
        missingHint: 'Go modules are fetched by go, which then brings the locked toolchain: install the Debian package golang-go',
        signal,
      });
      if (result.exitCode === 0) return result.stdout;
      throw new CcpError({
        code: 'go-unresolvable',
        message: `go ${args[0]} failed with exit code ${result.exitCode}:\n${(result.stderr.trim() || result.stdout.trim()).slice(-4000)}`,
        hint: 'ask for a module, a version and a package that there are; the proxies of modules are those of GOPROXY, or of .ccp.yaml',
      });
    },
  };
}

/**
 * The toolchain of this version, fetched by the host's `go` of whatever age and checked against Go's checksum database: what was
 * downloaded, which stays in the cache, and the command in it, which keeps modules in `scratch`: unpacked they take gigabytes.
 */
export async function goToolchain(
  version: string,
  options: GoToolOptions,
  scratch: string,
): Promise<{ readonly tool: GoTool; readonly downloaded: DownloadedModule }> {
  const host = openGoTool('go', options);
  const module = toolchainModule(version);
  const downloaded = JSON.parse(
    await host.run(['mod', 'download', '-json', `${module.name}@${module.version}`], { folder: options.cache }),
  ) as DownloadedModule;
  // Files of a module carry no executable bit.
  for (const folder of ['bin', join('pkg', 'tool', 'linux_amd64')]) {
    for (const name of readdirSync(join(downloaded.Dir, folder))) chmodSync(join(downloaded.Dir, folder, name), 0o755);
  }
  return { tool: openGoTool(join(downloaded.Dir, 'bin', 'go'), { ...options, cache: scratch }), downloaded };
}
