import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CcpError, omitUndefined, type Sha256 } from '#core';
import type { SeriesDefinition } from '#definitions';
import { normaliseProject } from '#formats';
import type { SourceFetcher } from '#ports';
import type { DebianPackage, Lock, LockedSource, PythonFile } from '../types.ts';
import { constraintLines, requirementName } from './constraints.ts';
import type { PythonIndexClient } from './index-client.ts';
import type { ProjectFacts } from './project-facts.ts';
import { openProjectReader, type ProjectReader } from './project-source.ts';
import type { PylockPackage, PylockWheel } from './pylock.ts';
import { solve, type SolveQuery } from './solve.ts';
import { writeStubWheel } from './stub-wheel.ts';
import { wheelChooser, type WheelTarget } from './wheel-tags.ts';

export interface PythonRequest {
  /** The image's name in messages. */
  readonly title: string;
  readonly series: SeriesDefinition;
  /** Text of the series' upper constraints; empty if it has none. */
  readonly constraints: string;
  /**
   * Debian packages of the image's layers; the C library's version determines the compatible
   * wheels.
   */
  readonly debian: readonly DebianPackage[];
  /** Requirements (PEP 508) in addition to the project's own. */
  readonly requirements: readonly string[];
  /** The project built from source; `name` is its key in the definition. */
  readonly project?: SourceProject;
  /** Projects that Debian packages provide. */
  readonly provided: readonly string[];
  /** Locked files of the base's layers; pinned to these versions and omitted from the result. */
  readonly below: readonly PythonFile[];
  readonly keep: Lock['python'];
  readonly note: (detail: string) => void;
}

interface SourceProject {
  readonly name: string;
  readonly source: LockedSource;
  readonly extras: readonly string[];
}

/** Resolves the Python files of images without running code of any of them. */
export interface PythonResolver {
  /**
   * Raises `python-conflict` with uv's message, `python-no-wheel` if a build requirement has no
   * compatible wheel, `python-extra-unknown`, `python-requirement-invalid`, `python-no-libc`,
   * `python-other-version` if Debian's Python differs from the series' Python, and the errors of
   * the index.
   */
  resolve(request: PythonRequest): Promise<Lock['python']>;
}

export interface PythonResolverOptions {
  readonly index: PythonIndexClient;
  readonly cache: string;
  /** Temporary folder; the caller removes it. */
  readonly scratch: string;
  readonly fetcher: SourceFetcher;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of parallel requests to the index. */
const PARALLEL = 8;

function targetOf({ series, debian, title }: PythonRequest): WheelTarget {
  const versionOf = (name: string): string =>
    debian.find((item) => item.name === name)?.version ?? '';
  const python = /^3\.\d+/.exec(versionOf('python3'))?.[0];
  if (python !== undefined && python !== series.python) {
    const at = series.positions?.python;
    throw new CcpError({
      code: 'python-other-version',
      message: `series ${series.name} sets Python ${series.python}, but ${title} has Python ${python} from Debian ${series.suite}`,
      hint: `set python: "${python}" for ${series.name} in ${at?.file ?? 'images/series.yaml'}`,
      ...omitUndefined({ at }),
    });
  }
  const glibc = /^2\.(\d+)/.exec(versionOf('libc6'))?.[1];
  if (glibc !== undefined) return { python: series.python, glibc: Number(glibc) };
  throw new CcpError({
    code: 'python-no-libc',
    message: `no layer of ${title} contains libc6, which determines the compatible wheels`,
    hint: 'use a base image with Debian packages',
  });
}

function constraintsOf(
  { series, constraints }: PythonRequest,
  leaveOut: readonly string[],
): string[] {
  const overrides = series.overrides.map(({ requirement }) => requirement);
  return [
    ...constraintLines(constraints, new Set([...leaveOut, ...overrides.map(requirementName)])),
    ...overrides,
  ];
}

/**
 * The requirement for a project built from source: a stub wheel with the project's dependencies.
 */
function projectRequirement(
  name: string,
  { source, extras }: SourceProject,
  facts: ProjectFacts,
  folder: string,
): string {
  const unknown = extras.find((extra) => !facts.extras.includes(normaliseProject(extra)));
  if (unknown !== undefined) {
    throw new CcpError({
      code: 'python-extra-unknown',
      message: `${name} ${source.version} has no extra ${unknown}`,
      hint: `available extras: ${facts.extras.join(', ') || 'none'}`,
    });
  }
  const stub = writeStubWheel(folder, {
    name,
    version: source.version,
    requires: facts.requires,
    extras: facts.extras,
  });
  return `${name}${extras.length > 0 ? `[${extras.join(',')}]` : ''} @ ${pathToFileURL(stub).href}`;
}

/**
 * Resolves a query to files, without the projects in `leaveOut`, or to the reason of a conflict.
 */
type Answer = (
  query: SolveQuery,
  leaveOut: ReadonlySet<string>,
) => Promise<readonly PythonFile[] | string>;

/** Opens a resolver; sends no request before `resolve`. */
export function openPythonResolver({
  index,
  cache,
  scratch,
  fetcher,
  signal,
}: PythonResolverOptions): PythonResolver {
  const reader = openProjectReader(index, fetcher, signal);
  const sizes = new Map<Sha256, Promise<number>>();
  const sizeOf = (wheel: PylockWheel): Promise<number> => {
    const known = sizes.get(wheel.sha256) ?? index.sizeOf(wheel);
    sizes.set(wheel.sha256, known);
    return known;
  };
  const pick = async (
    { name, version, wheels }: PylockPackage,
    target: WheelTarget,
  ): Promise<PythonFile> => {
    const wheel = wheelChooser(target)(wheels);
    if (wheel !== undefined)
      return {
        name,
        version,
        kind: 'wheel',
        file: wheel.file,
        sha256: wheel.sha256,
        size: await sizeOf(wheel),
      };
    const { file, sha256, size } = await index.sdist(name, version);
    return { name, version, kind: 'sdist', file, sha256, size };
  };
  const answer: Answer = async (query, leaveOut) => {
    const solution = await solve(query, { index, reader, cache, scratch, signal });
    if (solution.outcome === 'conflict') return solution.reason;
    const { default: pLimit } = await import('p-limit');
    const packages = solution.packages.filter(({ name }) => !leaveOut.has(name));
    const files = await pLimit(PARALLEL).map(packages, (item) => pick(item, query.target));
    return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    resolve: async (request) => {
      const { title, below, keep } = request;
      for (const file of [...below, ...keep.runtime, ...keep.build])
        sizes.set(file.sha256, Promise.resolve(file.size));
      const target = targetOf(request);
      request.requirements.forEach(requirementName);
      const project =
        request.project === undefined
          ? undefined
          : await readProject(request.project, reader, join(scratch, title, 'project'));
      const requirements = [
        ...request.requirements,
        ...(project === undefined ? [] : [project.requirement]),
      ];
      if (requirements.length === 0) return { runtime: [], build: [] };
      const own = project === undefined ? [] : [project.name];
      const upper = constraintsOf(request, own);
      const pinned = below.map(({ name, version }) => `${name}==${version}`);
      const runtime = await answer(
        {
          title,
          target,
          requirements,
          constraints: [...upper, ...pinned],
          prefer: keep.runtime,
          stubs: join(scratch, title, 'runtime'),
        },
        new Set([
          ...below.map(({ name }) => name),
          ...request.provided.map(normaliseProject),
          ...own,
        ]),
      );
      if (typeof runtime === 'string') throw conflict(request, 'the requirements', runtime);
      const built = project === undefined ? [] : [project.facts];
      for (const { name, version } of runtime.filter(({ kind }) => kind === 'sdist'))
        built.push(await reader.sdist(name, version));
      const wanted = [...new Set(built.flatMap(({ buildRequires }) => buildRequires))].sort();
      const query = {
        title,
        target,
        requirements: wanted,
        constraints: upper,
        prefer: keep.build,
        stubs: join(scratch, title, 'build'),
      };
      return { runtime, build: await resolveBuild(request, query, answer) };
    },
  };
}

/** Reads the project that an image builds and writes its stub wheel to `folder`. */
async function readProject(
  request: SourceProject,
  reader: ProjectReader,
  folder: string,
): Promise<{ readonly name: string; readonly facts: ProjectFacts; readonly requirement: string }> {
  const facts = await reader.source(request.source);
  const name = facts.name ?? normaliseProject(request.name);
  return { name, facts, requirement: projectRequirement(name, request, facts, folder) };
}

/**
 * Resolves the build requirements, which must all be wheels; without the upper constraints if they
 * conflict.
 */
async function resolveBuild(
  request: PythonRequest,
  query: SolveQuery,
  answer: Answer,
): Promise<readonly PythonFile[]> {
  query.requirements.forEach(requirementName);
  if (query.requirements.length === 0) return [];
  let build = await answer(query, new Set());
  if (typeof build === 'string') {
    request.note(
      'the build requirements conflict with the upper constraints and are resolved without them',
    );
    build = await answer({ ...query, constraints: [] }, new Set());
  }
  if (typeof build === 'string') throw conflict(request, 'the build requirements', build);
  const unbuilt = build.find(({ kind }) => kind === 'sdist');
  if (unbuilt === undefined) return build;
  throw new CcpError({
    code: 'python-no-wheel',
    message: `${request.title} needs ${unbuilt.name} ${unbuilt.version} for its build, which has no compatible wheel`,
    hint: 'choose a release with a compatible wheel under python.packages',
  });
}

function conflict(
  { title, series }: PythonRequest,
  requirements: string,
  reason: string,
): CcpError {
  return new CcpError({
    code: 'python-conflict',
    message: `${requirements} of ${title} cannot be resolved under the constraints of ${series.name}:\n${reason}`,
    hint: 'choose an existing version that satisfies the constraints, or override the constraint in the series',
  });
}
