import { CcpError, codeOf, normaliseProject } from '#core';
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

export interface Question {
  /** The image's name, for messages. */
  readonly title: string;
  readonly target: WheelTarget;
  readonly requirements: readonly string[];
  readonly constraints: readonly string[];
  /** Versions to stay with where they satisfy. */
  readonly prefer: readonly PythonFile[];
  /** Folder for the stub wheels of this question. */
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

/** Releases of one project that are tried, newest first, where none has a wheel and nothing pins one. */
const MAX_TRIES = 5;

/** Versions that requirements and constraints fix, by project. */
function pinsOf({ constraints, requirements }: Question): ReadonlyMap<string, string> {
  return new Map(
    [...constraints, ...requirements].flatMap((line) => {
      const version = pinnedVersion(line);
      return version === undefined ? [] : [[requirementName(line), version] as const];
    }),
  );
}

/**
 * Resolves a question by uv: where a release has no wheel that fits, its metadata is read from its source archive and put into a
 * stub wheel, and uv is asked anew, until nothing lacks one. Raises `python-no-wheel` where a project has no such archive either.
 */
export async function solve(question: Question, { index, reader, cache, scratch, signal }: SolveOptions): Promise<Solution> {
  const { stubs, title } = question;
  const pins = pinsOf(question);
  const stub = async (name: string, version: string): Promise<void> => {
    const { requires, extras } = await reader.sdist(name, version);
    writeStubWheel(stubs, { name, version, requires, extras });
  };
  const releases = async (project: string): Promise<string[]> => {
    const files = (await index.files(project)).filter(({ yanked }) => !yanked);
    return finalReleases([...new Set(files.flatMap(({ file }) => sdistVersion(project, file) ?? []))]);
  };

  // A head start only: what the index no longer has is found to lack a wheel below, or is not asked for any more.
  for (const { name, version } of question.prefer.filter(({ kind }) => kind === 'sdist')) {
    await stub(name, pins.get(name) ?? version).catch((thrown: unknown) => {
      if (codeOf(thrown) !== 'python-sdist-missing' && codeOf(thrown) !== 'python-project-unknown') throw thrown;
    });
  }
  const uv = await uvProgram(index, cache);
  const tries = new Map<string, number>();
  for (;;) {
    const result = await compile({ ...question, uv, indexes: await index.urls(), cache, scratch, signal });
    if (result.outcome !== 'no-wheel') return result;
    for (const project of result.projects.map(normaliseProject)) {
      const tried = tries.get(project) ?? 0;
      tries.set(project, tried + 1);
      const pinned = pins.get(project);
      const version = pinned ?? (await releases(project))[tried];
      if (version === undefined || tried >= (pinned === undefined ? MAX_TRIES : 1)) {
        throw new CcpError({
          code: 'python-no-wheel',
          message: `${title} needs ${project}, which has neither a wheel nor a source archive that fits`,
          hint: `ask for another version of ${project} under python.packages`,
        });
      }
      await stub(project, version);
    }
  }
}
