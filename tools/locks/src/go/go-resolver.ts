import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, omitUndefined, sha256 } from '#core';
import type { GoDefinition } from '#definitions';
import type { GoFile, LockedGo } from '../types.ts';
import { toolchainModule } from '#host';
import { fetchToolchain, type DownloadedModule, type GoTool } from './go-tool.ts';
import { resolveModules } from './resolve-modules.ts';

export interface GoRequest {
  readonly title: string;
  readonly definition: GoDefinition;
  /** Locked files of the builder. */
  readonly below: readonly GoFile[];
  /** The previous lock; versions that still match the definition are kept. */
  readonly keep?: LockedGo;
}

/** Resolves the Go module files that an image's programs need, or the image's Go toolchain. */
export interface GoResolver {
  /** Raises `go-unresolvable`, `go-no-toolchain` and `tool-missing`. */
  resolve(request: GoRequest): Promise<LockedGo>;
}

export interface GoResolverOptions {
  /** Roots of module proxies, in order; called once. */
  readonly proxies: () => readonly string[];
  readonly cache: string;
  /** Temporary folder; the caller removes it. */
  readonly scratch: string;
  readonly signal?: AbortSignal | undefined;
}

interface Toolchain {
  readonly tool: GoTool;
  readonly downloaded: DownloadedModule;
}

/** Opens a `GoResolver`, which resolves with the same toolchain that builds. */
export function openGoResolver({ proxies, cache, scratch, signal }: GoResolverOptions): GoResolver {
  const opened = new Map<string, Promise<Toolchain>>();
  const toolchain = (version: string): Promise<Toolchain> => {
    const known =
      opened.get(version) ??
      fetchToolchain(
        version,
        { proxies: proxies(), cache: join(cache, 'go'), signal },
        join(scratch, 'go'),
      );
    opened.set(version, known);
    return known;
  };
  return {
    resolve: async ({ title, definition, below, keep }) => {
      const version = definition.toolchain ?? versionIn(below);
      if (version === undefined) {
        throw new CcpError({
          code: 'go-no-toolchain',
          message: `the builder of ${title} has no Go toolchain`,
          hint: 'use a builder whose image.yaml sets go.toolchain',
        });
      }
      const { tool, downloaded } = await toolchain(version);
      const toolchainFiles =
        definition.toolchain === undefined ? [] : [toolchainFile(version, downloaded)];
      if (definition.modules.length === 0)
        return { language: version, requires: {}, files: toolchainFiles };
      const resolved = await resolveModules(tool, {
        title,
        definition,
        scratch,
        ...omitUndefined({ keep }),
      });
      return { ...resolved, files: [...toolchainFiles, ...resolved.files] };
    },
  };
}

function toolchainFile(version: string, { Zip, Sum }: DownloadedModule): GoFile {
  const bytes = readFileSync(Zip);
  return {
    ...toolchainModule(version),
    kind: 'zip',
    sum: Sum,
    sha256: sha256(bytes),
    size: bytes.length,
  };
}

function versionIn(files: readonly GoFile[]): string | undefined {
  return files.flatMap(({ name, version }) =>
    name === toolchainModule('').name ? (/-go([0-9.]+)\./.exec(version)?.[1] ?? []) : [],
  )[0];
}
