import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError } from '#core';
import { runTool, toolchainModule, toolchainProgram } from '#host';
import { toolEnvironment } from '../tool-environment.ts';

const TIMEOUT_MS = 900_000;
/**
 * Environment variables for Go's checksum database and proxy authentication that are passed
 * through.
 */
const SETTINGS = ['GOSUMDB', 'GONOSUMDB', 'GOPRIVATE', 'GOINSECURE', 'GOAUTH'] as const;

export interface GoToolOptions {
  /** Roots of module proxies, in order. */
  readonly proxies: readonly string[];
  /** Folder of Go's module cache and build cache. */
  readonly cache: string;
  readonly signal?: AbortSignal | undefined;
}

export interface GoRun {
  readonly folder: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A Go command of one version; the host's Go settings do not apply. */
export interface GoTool {
  /** Folder of downloaded modules, in the layout of a module proxy. */
  readonly downloads: string;
  /** Runs the command and returns its output. Raises `go-unresolvable` with Go's error. */
  run(args: readonly string[], run: GoRun): Promise<string>;
}

/** A module in the output of `go mod download -json`. */
export interface DownloadedModule {
  /** Absolute path of the module's ZIP file. */
  readonly Zip: string;
  /** Absolute path of the unpacked module. */
  readonly Dir: string;
  /** `h1:…` */
  readonly Sum: string;
}

/** Opens a Go command; `program` is its path. */
export function openGoTool(program: string, { proxies, cache, signal }: GoToolOptions): GoTool {
  const modules = join(cache, 'modules');
  mkdirSync(modules, { recursive: true });
  const passed = Object.fromEntries(
    SETTINGS.flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name] as string]],
    ),
  );
  const common = {
    ...passed,
    ...{
      GOPROXY: proxies.join(','),
      GOMODCACHE: modules,
      GOCACHE: join(cache, 'build'),
      GOPATH: cache,
      GOFLAGS: '-modcacherw',
      GOTOOLCHAIN: 'local',
    },
    ...{
      GO111MODULE: 'on',
      GOWORK: 'off',
      GOOS: 'linux',
      GOARCH: 'amd64',
      CGO_ENABLED: '0',
      GOROOT: '',
    },
  };
  return {
    downloads: join(modules, 'cache', 'download'),
    run: async (args, { folder, env = {} }) => {
      const result = await runTool(program, args, {
        folder: folder,
        env: toolEnvironment({ ...common, ...env }),
        timeoutMs: TIMEOUT_MS,
        missingHint:
          'install the Debian package golang-go: go downloads the modules and the locked toolchain',
        signal,
      });
      if (result.exitCode === 0) return result.stdout;
      throw new CcpError({
        code: 'go-unresolvable',
        message: `go ${args[0]} failed with exit code ${result.exitCode}:\n${(result.stderr.trim() || result.stdout.trim()).slice(-4000)}`,
        hint: 'check the names of module, version and package; module proxies are set by GOPROXY or in .ccp.yaml ("mirrors.go")',
      });
    },
  };
}

/**
 * Downloads the toolchain of this version with the host's `go`, which can be any version and
 * verifies it with Go's checksum database. The download stays in the cache and is hashed again. The
 * returned command keeps its modules in `scratch`, since they need gigabytes unpacked.
 */
export async function fetchToolchain(
  version: string,
  options: GoToolOptions,
  scratch: string,
): Promise<{ readonly tool: GoTool; readonly downloaded: DownloadedModule }> {
  const host = openGoTool('go', options);
  const module = toolchainModule(version);
  const downloaded = JSON.parse(
    await host.run(['mod', 'download', '-json', `${module.name}@${module.version}`], {
      folder: options.cache,
    }),
  ) as DownloadedModule;
  const program = toolchainProgram(downloaded.Dir, module, downloaded.Sum);
  return {
    tool: openGoTool(program, { ...options, cache: scratch }),
    downloaded,
  };
}
