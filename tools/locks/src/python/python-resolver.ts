import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CcpError, normaliseProject, type Sha256 } from '#core';
import type { SeriesDefinition } from '#definitions';
import type { SourceFetcher } from '#ports';
import type { DebianPackage, Lock, LockedSource, PythonFile } from '../types.ts';
import { constraintLines, requirementName } from './constraints.ts';
import type { PythonIndexClient } from './index-client.ts';
import type { ProjectFacts } from './project-facts.ts';
import { openProjectReader, type ProjectReader } from './project-source.ts';
import type { PylockPackage, PylockWheel } from './pylock.ts';
import { solve, type Question } from './solve.ts';
import { writeStubWheel } from './stub-wheel.ts';
import { wheelChooser, type WheelTarget } from './wheel-tags.ts';

export interface PythonRequest {
  /** The image's name, for messages. */
  readonly title: string;
  readonly series: SeriesDefinition;
  /** The series' upper constraints, as their file has them; empty where it has none. */
  readonly constraints: string;
  /** What the image's layers hold; the C library's version decides which wheels fit. */
  readonly debian: readonly DebianPackage[];
  /** Requirements (PEP 508) beside the project's own. */
  readonly requirements: readonly string[];
  /** The project that is built from its source; `name` is its key in the definition. */
  readonly project?: AskedProject;
  /** Projects that Debian packages provide. */
  readonly provided: readonly string[];
  /** What the base's layers are locked to; held at these versions and left out of the result. */
  readonly below: readonly PythonFile[];
  readonly keep: Lock['python'];
  readonly note: (detail: string) => void;
}

interface AskedProject {
  readonly name: string;
  readonly source: LockedSource;
  readonly extras: readonly string[];
}

/** Resolves the Python files of images without running code of any of them. */
export interface PythonResolver {
  /**
   * Raises `python-conflict` with uv's words, `python-no-wheel` where a build requirement would itself have to be built,
   * `python-extra-unknown`, `python-requirement-invalid`, `python-no-libc`, `python-other-version` where Debian has another Python than the series, and the codes of the index.
   */
  resolve(request: PythonRequest): Promise<Lock['python']>;
}

export interface PythonResolverOptions {
  readonly index: PythonIndexClient;
  readonly cache: string;
  /** Folder of this run, removed by whoever made it. */
  readonly scratch: string;
  readonly fetcher: SourceFetcher;
  readonly signal?: AbortSignal | undefined;
}

/** Requests to the index at one time. */
const PARALLEL = 8;

function targetOf({ series, debian, title }: PythonRequest): WheelTarget {
  const versionOf = (name: string): string => debian.find((item) => item.name === name)?.version ?? '';
  const python = /^3\.\d+/.exec(versionOf('python3'))?.[0];
  if (python !== undefined && python !== series.python) {
    const at = series.positions?.python;
    throw new CcpError({
      code: 'python-other-version',
      message: `series ${series.name} says Python ${series.python}, but ${title} has ${python} of Debian ${series.suite}`,
      hint: `write python: "${python}"`,
      ...(at === undefined ? {} : { at }),
    });
  }
  const glibc = /^2\.(\d+)/.exec(versionOf('libc6'))?.[1];
  if (glibc !== undefined) return { python: series.python, glibc: Number(glibc) };
  throw new CcpError({
    code: 'python-no-libc',
    message: `no layer of ${title} holds libc6, so no wheel can be chosen`,
    hint: 'give the image a base that holds Debian',
  });
}

function constraintsOf({ series, constraints }: PythonRequest, leaveOut: readonly string[]): string[] {
  const overrides = series.overrides.map(({ requirement }) => requirement);
  return [...constraintLines(constraints, new Set([...leaveOut, ...overrides.map(requirementName)])), ...overrides];
}

/** The requirement that stands for a project built from source: a stub wheel that says what the project needs. */
function projectRequirement(name: string, { source, extras }: AskedProject, facts: ProjectFacts, folder: string): string {
  const unknown = extras.find((extra) => !facts.extras.includes(normaliseProject(extra)));
  if (unknown !== undefined) {
    throw new CcpError({
      code: 'python-extra-unknown',
      message: `${name} ${source.version} has no extra ${unknown}`,
      hint: `it has: ${facts.extras.join(', ') || 'none'}`,
    });
  }
  const stub = writeStubWheel(folder, { name, version: source.version, requires: facts.requires, extras: facts.extras });
  return `${name}${extras.length > 0 ? `[${extras.join(',')}]` : ''} @ ${pathToFileURL(stub).href}`;
}

/** The files that answer a question without those `leaveOut` names, or why none do. */
type Answer = (question: Question, leaveOut: ReadonlySet<string>) => Promise<readonly PythonFile[] | string>;

/** Asks nothing yet. */
export function openPythonResolver({ index, cache, scratch, fetcher, signal }: PythonResolverOptions): PythonResolver {
  const reader = openProjectReader(index, fetcher, signal);
  const sizes = new Map<Sha256, Promise<number>>();
  const sizeOf = (wheel: PylockWheel): Promise<number> => {
    const known = sizes.get(wheel.sha256) ?? index.sizeOf(wheel);
    sizes.set(wheel.sha256, known);
    return known;
  };
  const pick = async ({ name, version, wheels }: PylockPackage, target: WheelTarget): Promise<PythonFile> => {
    const wheel = wheelChooser(target)(wheels);
    if (wheel !== undefined) return { name, version, kind: 'wheel', file: wheel.file, sha256: wheel.sha256, size: await sizeOf(wheel) };
    const { file, sha256, size } = await index.sdist(name, version);
    return { name, version, kind: 'sdist', file, sha256, size };
  };
  const answer: Answer = async (question, leaveOut) => {
    const solution = await solve(question, { index, reader, cache, scratch, signal });
    if (solution.outcome === 'conflict') return solution.reason;
    const { default: pLimit } = await import('p-limit');
    const packages = solution.packages.filter(({ name }) => !leaveOut.has(name));
    const files = await pLimit(PARALLEL).map(packages, (item) => pick(item, question.target));
    return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    resolve: async (request) => {
      const { title, below, keep } = request;
      for (const file of [...below, ...keep.runtime, ...keep.build]) sizes.set(file.sha256, Promise.resolve(file.size));
      const target = targetOf(request);
      request.requirements.forEach(requirementName);
      const project = request.project === undefined ? undefined : await readProject(request.project, reader, join(scratch, title, 'project'));
      const requirements = [...request.requirements, ...(project === undefined ? [] : [project.requirement])];
      if (requirements.length === 0) return { runtime: [], build: [] };
      const own = project === undefined ? [] : [project.name];
      const upper = constraintsOf(request, own);
      const held = below.map(({ name, version }) => `${name}==${version}`);
      const runtime = await answer(
        { title, target, requirements, constraints: [...upper, ...held], prefer: keep.runtime, stubs: join(scratch, title, 'runtime') },
        new Set([...below.map(({ name }) => name), ...request.provided.map(normaliseProject), ...own]),
      );
      if (typeof runtime === 'string') throw conflict(request, 'the requirements', runtime);
      const built = project === undefined ? [] : [project.facts];
      for (const { name, version } of runtime.filter(({ kind }) => kind === 'sdist')) built.push(await reader.sdist(name, version));
      const wanted = [...new Set(built.flatMap(({ buildRequires }) => buildRequires))].sort();
      const question = { title, target, requirements: wanted, constraints: upper, prefer: keep.build, stubs: join(scratch, title, 'build') };
      return { runtime, build: await resolveBuild(request, question, answer) };
    },
  };
}

/** The project that an image builds, and the requirement that stands for it; its stub goes to `folder`. */
async function readProject(
  asked: AskedProject,
  reader: ProjectReader,
  folder: string,
): Promise<{ readonly name: string; readonly facts: ProjectFacts; readonly requirement: string }> {
  const facts = await reader.source(asked.source);
  const name = facts.name ?? normaliseProject(asked.name);
  return { name, facts, requirement: projectRequirement(name, asked, facts, folder) };
}

/** What is needed to build sdists, wheels all of them; without the upper constraints where it does not fit them. */
async function resolveBuild(request: PythonRequest, question: Question, answer: Answer): Promise<readonly PythonFile[]> {
  question.requirements.forEach(requirementName);
  if (question.requirements.length === 0) return [];
  let build = await answer(question, new Set());
  if (typeof build === 'string') {
    request.note('the build requirements do not fit the upper constraints and are resolved without them');
    build = await answer({ ...question, constraints: [] }, new Set());
  }
  if (typeof build === 'string') throw conflict(request, 'the build requirements', build);
  const unbuilt = build.find(({ kind }) => kind === 'sdist');
  if (unbuilt === undefined) return build;
  throw new CcpError({
    code: 'python-no-wheel',
    message: `${request.title} needs ${unbuilt.name} ${unbuilt.version} for its build, which has no wheel that fits`,
    hint: 'ask for a release that has one under python.packages',
  });
}

function conflict({ title, series }: PythonRequest, what: string, reason: string): CcpError {
  return new CcpError({
    code: 'python-conflict',
    message: `${what} of ${title} fit no versions under the constraints of ${series.name}:\n${reason}`,
    hint: 'ask for a version that there is and that fits, or override the constraint of the series',
  });
}
