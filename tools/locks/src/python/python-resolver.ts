import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CcpError, codeOf, type Sha256 } from '#core';
import type { SeriesDefinition } from '#definitions';
import type { SourceFetcher } from '#ports';
import type { DebianPackage, Lock, LockedSource, PythonFile } from '../types.ts';
import { compile, type CompileResult } from './compile.ts';
import { constraintLines, pinnedVersion, requirementName } from './constraints.ts';
import type { PythonIndexClient } from './index-client.ts';
import { normaliseName, sdistVersion } from './index-page.ts';
import { openProjectReader, type ProjectReader } from './project-source.ts';
import type { PylockPackage } from './pylock.ts';
import { writeStubWheel } from './stub-wheel.ts';
import { uvProgram } from './uv-tool.ts';
import { finalReleases } from './versions.ts';
import { wheelChooser, type WheelTarget } from './wheel-tags.ts';

export interface PythonRequest {
  /** The image's name, for messages. */
  readonly title: string;
  readonly series: SeriesDefinition;
  /** What the image's layers hold; the C library's version decides which wheels fit. */
  readonly debian: readonly DebianPackage[];
  /** Requirements (PEP 508) beside the project's own. */
  readonly requirements: readonly string[];
  /** The project that is built from its source; `name` is its key in the definition. */
  readonly project?: { readonly name: string; readonly source: LockedSource; readonly extras: readonly string[] };
  /** Projects that Debian packages provide. */
  readonly provided: readonly string[];
  /** What the base's layers are locked to; held at these versions and left out of the result. */
  readonly below: readonly PythonFile[];
  readonly keep: Lock['python'];
  readonly note: (detail: string) => void;
}

/** Resolves the Python files of images without running code of any of them. */
export interface PythonResolver {
  /**
   * Raises `python-conflict` with uv's words, `python-no-wheel` where a build requirement would itself have to be built, and the
   * codes of the index.
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

/** Releases of one project that are tried where each has no wheel and nothing pins one. */
const MAX_TRIES = 5;

function targetOf(series: SeriesDefinition, debian: readonly DebianPackage[], title: string): WheelTarget {
  const glibc = /^2\.(\d+)/.exec(debian.find(({ name }) => name === 'libc6')?.version ?? '')?.[1];
  if (glibc !== undefined) return { python: series.python, glibc: Number(glibc) };
  throw new CcpError({ code: 'python-no-libc', message: `no layer of ${title} holds libc6, so no wheel can be chosen`, hint: 'give the image a base that holds Debian' });
}

function constraintsOf(series: SeriesDefinition, leaveOut: readonly string[]): string[] {
  const overrides = series.overrides.map(({ requirement }) => requirement);
  const without = new Set([...leaveOut, ...overrides.map(requirementName)]);
  const upper = series.constraints === undefined ? [] : constraintLines(readFileSync(series.constraints, 'utf8'), without);
  return [...upper, ...overrides];
}

export function openPythonResolver({ index, cache, scratch, fetcher, signal }: PythonResolverOptions): PythonResolver {
  const reader: ProjectReader = openProjectReader(index, fetcher, signal);
  const sizes = new Map<Sha256, Promise<number>>();

  interface Question {
    readonly title: string;
    readonly target: WheelTarget;
    readonly requirements: readonly string[];
    readonly constraints: readonly string[];
    readonly prefer: readonly PythonFile[];
  }

  /** Compiles anew with a stub for every release that has no wheel, until nothing lacks one. */
  const solve = async (question: Question, stubs: string): Promise<CompileResult & { outcome: 'resolved' | 'conflict' }> => {
    const pins = new Map([...question.constraints, ...question.requirements].flatMap((line) => {
      const version = pinnedVersion(line);
      return version === undefined ? [] : [[requirementName(line), version] as const];
    }));
    const tried = new Map<string, number>();
    const stub = async (name: string, version: string): Promise<void> => {
      const { requires, extras } = await reader.sdist(name, version);
      writeStubWheel(stubs, { name, version, requires, extras });
    };
    // A head start only: what the index no longer has is found to lack a wheel below, or is not asked for any more.
    const kept = question.prefer.filter(({ kind }) => kind === 'sdist');
    for (const { name, version } of kept) {
      await stub(name, pins.get(name) ?? version).catch((thrown: unknown) => {
        if (codeOf(thrown) !== 'python-sdist-missing' && codeOf(thrown) !== 'python-project-unknown') throw thrown;
      });
    }
    const uv = await uvProgram(index, cache);
    for (;;) {
      const result = await compile({ ...question, uv, index: index.url, cache, scratch, stubs, prefer: question.prefer, signal });
      if (result.outcome !== 'no-wheel') return result;
      for (const project of result.projects.map(normaliseName)) {
        const count = tried.get(project) ?? 0;
        tried.set(project, count + 1);
        const pinned = pins.get(project);
        const version = pinned ?? (await releasesWithSdist(project))[count];
        if (version === undefined || count >= (pinned === undefined ? MAX_TRIES : 1)) {
          throw new CcpError({ code: 'python-no-wheel', message: `${question.title} needs ${project}, which has neither a wheel nor a source archive that fits`, hint: `pin a version of ${project} in image.yaml` });
        }
        await stub(project, version);
      }
    }
  };

  const releasesWithSdist = async (project: string): Promise<string[]> => {
    const files = (await index.files(project)).filter(({ yanked }) => !yanked);
    return finalReleases([...new Set(files.flatMap(({ file }) => sdistVersion(project, file) ?? []))]);
  };

  const sizeOf = (file: { readonly file: string; readonly url: string; readonly sha256: Sha256; readonly size?: number }): Promise<number> => {
    const known = sizes.get(file.sha256) ?? index.sizeOf(file);
    sizes.set(file.sha256, known);
    return known;
  };

  const pick = async ({ name, version, wheels }: PylockPackage, target: WheelTarget): Promise<PythonFile> => {
    const wheel = wheelChooser(target)(wheels);
    if (wheel !== undefined) return { name, version, kind: 'wheel', file: wheel.file, sha256: wheel.sha256, size: await sizeOf(wheel) };
    const { file, sha256, size } = await index.sdist(name, version);
    return { name, version, kind: 'sdist', file, sha256, size };
  };

  const answer = async (question: Question, stubs: string, leaveOut: ReadonlySet<string>): Promise<readonly PythonFile[] | string> => {
    const result = await solve(question, stubs);
    if (result.outcome === 'conflict') return result.reason;
    const { default: pLimit } = await import('p-limit');
    const limit = pLimit(8);
    const packages = result.packages.filter(({ name }) => !leaveOut.has(name));
    const files = await Promise.all(packages.map((item) => limit(() => pick(item, question.target))));
    return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  };

  return {
    resolve: async (request) => {
      const { title, series, below, keep, note } = request;
      for (const file of [...below, ...keep.runtime, ...keep.build]) sizes.set(file.sha256, Promise.resolve(file.size));
      const target = targetOf(series, request.debian, title);
      const folder = join(scratch, title);
      const facts = request.project === undefined ? undefined : await reader.source(request.project.source);
      const project = facts?.name ?? (request.project === undefined ? undefined : normaliseName(request.project.name));
      request.requirements.forEach(requirementName);
      const requirements = [...request.requirements];
      if (facts !== undefined && project !== undefined) {
        const { version } = request.project!.source;
        const stub = writeStubWheel(join(folder, 'project'), { name: project, version, requires: facts.requires, extras: facts.extras });
        const extras = request.project!.extras;
        const unknown = extras.find((extra) => !facts.extras.includes(normaliseName(extra)));
        if (unknown !== undefined) {
          throw new CcpError({ code: 'python-extra-unknown', message: `${project} ${version} has no extra ${unknown}`, hint: `it has: ${facts.extras.join(', ') || 'none'}` });
        }
        requirements.push(`${project}${extras.length > 0 ? `[${extras.join(',')}]` : ''} @ ${pathToFileURL(stub).href}`);
      }
      const conflict = (what: string, reason: string): CcpError =>
        new CcpError({ code: 'python-conflict', message: `${what} of ${title} fit no versions under the constraints of ${series.name}:\n${reason}`, hint: 'mend image.yaml, or override the constraint in images/series.yaml' });

      const upper = constraintsOf(series, project === undefined ? [] : [project]);
      const runtime = requirements.length === 0 ? [] : await answer(
        { title, target, requirements, constraints: [...upper, ...below.map(({ name, version }) => `${name}==${version}`)], prefer: keep.runtime },
        join(folder, 'runtime'),
        new Set([...below.map(({ name }) => name), ...request.provided.map(normaliseName), ...(project === undefined ? [] : [project])]),
      );
      if (typeof runtime === 'string') throw conflict('the requirements', runtime);

      const sdists = await Promise.all(runtime.filter(({ kind }) => kind === 'sdist').map(({ name, version }) => reader.sdist(name, version)));
      const wanted = [...new Set([...sdists, ...(facts === undefined ? [] : [facts])].flatMap(({ buildRequires }) => buildRequires))].sort();
      wanted.forEach(requirementName);
      if (wanted.length === 0) return { runtime, build: [] };
      const question = { title, target, requirements: wanted, prefer: keep.build };
      let build = await answer({ ...question, constraints: upper }, join(folder, 'build'), new Set());
      if (typeof build === 'string') {
        note('the build requirements do not fit the upper constraints and are resolved without them');
        build = await answer({ ...question, constraints: [] }, join(folder, 'build'), new Set());
      }
      if (typeof build === 'string') throw conflict('the build requirements', build);
      const unbuilt = build.find(({ kind }) => kind === 'sdist');
      if (unbuilt === undefined) return { runtime, build };
      throw new CcpError({ code: 'python-no-wheel', message: `${title} needs ${unbuilt.name} ${unbuilt.version} for its build, which has no wheel that fits` });
    },
  };
}
