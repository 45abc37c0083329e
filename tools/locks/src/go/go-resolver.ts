import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, sha256 } from '#core';
import type { GoDefinition } from '#definitions';
import type { GoFile, LockedGo } from '../types.ts';
import { goToolchain, toolchainModule, type DownloadedModule, type GoTool } from './go-tool.ts';
import { resolveModules } from './resolve-modules.ts';

export interface GoRequest {
  readonly title: string;
  readonly definition: GoDefinition;
  /** Files that the builder is locked to. */
  readonly below: readonly GoFile[];
  /** What was locked; versions stay where they still are what the definition asks for. */
  readonly keep?: LockedGo;
}

/** Finds every file of Go modules that an image's programs are built of, or the toolchain that it takes. */
export interface GoResolver {
  /** Raises `go-unresolvable`, `go-no-toolchain` and `tool-missing`. */
  resolve(request: GoRequest): Promise<LockedGo>;
}

export interface GoResolverOptions {
  /** Roots of module proxies, in order; asked for once. */
  readonly proxies: () => readonly string[];
  readonly cache: string;
  /** Folder of this run, removed by whoever made it. */
  readonly scratch: string;
  readonly signal?: AbortSignal | undefined;
}

interface Toolchain {
  readonly tool: GoTool;
  readonly downloaded: DownloadedModule;
}

/** What `GoResolver` says; the toolchain that resolves is the one that builds. */
export function openGoResolver({ proxies, cache, scratch, signal }: GoResolverOptions): GoResolver {
  const opened = new Map<string, Promise<Toolchain>>();
  const toolchain = (version: string): Promise<Toolchain> => {
    const known = opened.get(version) ?? goToolchain(version, { proxies: proxies(), cache: join(cache, 'go'), signal }, join(scratch, 'go'));
    opened.set(version, known);
    return known;
  };
  return {
    resolve: async ({ title, definition, below, keep }) => {
      const version = definition.toolchain ?? versionIn(below);
      if (version === undefined) {
        throw new CcpError({
          code: 'go-no-toolchain',
          message: `the builder of ${title} has no toolchain of Go`,
          hint: 'name a builder whose definition has go.toolchain',
        });
      }
      const { tool, downloaded } = await toolchain(version);
      const taken = definition.toolchain === undefined ? [] : [toolchainFile(version, downloaded)];
      if (definition.modules.length === 0) return { language: version, requires: {}, files: taken };
      const resolved = await resolveModules(tool, { title, definition, scratch, ...(keep === undefined ? {} : { keep }) });
      return { ...resolved, files: [...taken, ...resolved.files] };
    },
  };
}

function toolchainFile(version: string, { Zip, Sum }: DownloadedModule): GoFile {
  const bytes = readFileSync(Zip);
  return { ...toolchainModule(version), kind: 'zip', sum: Sum, sha256: sha256(bytes), size: bytes.length };
}

function versionIn(files: readonly GoFile[]): string | undefined {
  return files.flatMap(({ name, version }) => (name === toolchainModule('').name ? (/-go([0-9.]+)\./.exec(version)?.[1] ?? []) : []))[0];
}
