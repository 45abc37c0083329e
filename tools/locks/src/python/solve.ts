import { CcpError, codeOf } from '#core';
import { normaliseProject } from '#formats';
import type { PythonFile } from '../types.ts';
import { compile, type CompileResult } from './compile.ts';
import { pinnedVersion, requirementName } from './constraints.ts';
import type { PythonIndexClient } from './index-client.ts';
import type { ProjectReader } from './project-source.ts';
import { sdistVersion } from './sdist-version.ts';
import { writeStubWheel } from './stub-wheel.ts';
import { uvProgram } from './uv-tool.ts';
import { finalReleases } from './versions.ts';
import type { WheelTarget } from './wheel-tags.ts';

export interface SolveQuery {
  /** The image's name in messages. */
  readonly title: string;
  readonly target: WheelTarget;
  readonly requirements: readonly string[];
  readonly constraints: readonly string[];
  /** Preferred versions, used if they satisfy the requirements. */
  readonly prefer: readonly PythonFile[];
  /** Folder for the stub wheels. */
  readonly stubs: string;
}

export interface SolveOptions {
  readonly index: PythonIndexClient;
  readonly reader: ProjectReader;
  readonly cache: string;
  readonly scratch: string;
  readonly signal?: AbortSignal | undefined;
}

export type Solution = Exclude<CompileResult, { readonly outcome: 'no-wheel' }>;

/**
 * Maximum number of releases tried, newest first, for a project that has no wheels and no pinned
 * version.
 */
const MAX_TRIES = 5;

/** Versions pinned by requirements and constraints, by project. */
function pinsOf({ constraints, requirements }: SolveQuery): ReadonlyMap<string, string> {
  return new Map(
    [...constraints, ...requirements].flatMap((line) => {
      const version = pinnedVersion(line);
      return version === undefined ? [] : [[requirementName(line), version] as const];
    }),
  );
}

/**
 * Resolves a query with uv. If a release has no compatible wheel, its metadata is read from its
 * source archive and written to a stub wheel, and uv runs again, until every release has a wheel.
 * Raises `python-no-wheel` if a project has no source archive either.
 */
export async function solve(
  query: SolveQuery,
  { index, reader, cache, scratch, signal }: SolveOptions,
): Promise<Solution> {
  const { stubs, title } = query;
  const pins = pinsOf(query);
  const stub = async (name: string, version: string): Promise<void> => {
    const { requires, extras } = await reader.sdist(name, version);
    writeStubWheel(stubs, { name, version, requires, extras });
  };
  const releases = async (project: string): Promise<string[]> => {
    const files = (await index.files(project)).filter(({ yanked }) => !yanked);
    return finalReleases([
      ...new Set(files.flatMap(({ file }) => sdistVersion(project, file) ?? [])),
    ]);
  };

  // An optimisation only: releases that the index no longer has are handled below.
  for (const { name, version } of query.prefer.filter(({ kind }) => kind === 'sdist')) {
    await stub(name, pins.get(name) ?? version).catch((thrown: unknown) => {
      if (codeOf(thrown) !== 'python-sdist-missing' && codeOf(thrown) !== 'python-project-unknown')
        throw thrown;
    });
  }
  const uv = await uvProgram(index, cache);
  const tries = new Map<string, number>();
  for (;;) {
    const result = await compile({
      ...query,
      uv,
      indexes: await index.urls(),
      cache,
      scratch,
      signal,
    });
    if (result.outcome !== 'no-wheel') return result;
    for (const project of result.projects.map(normaliseProject)) {
      const tried = tries.get(project) ?? 0;
      tries.set(project, tried + 1);
      const pinned = pins.get(project);
      const version = pinned ?? (await releases(project))[tried];
      if (version === undefined || tried >= (pinned === undefined ? MAX_TRIES : 1)) {
        throw new CcpError({
          code: 'python-no-wheel',
          message: `${title} needs ${project}, which has no compatible wheel or source archive`,
          hint: `choose another version of ${project} under python.packages`,
        });
      }
      await stub(project, version);
    }
  }
}
