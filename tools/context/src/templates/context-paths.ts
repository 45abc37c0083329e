import { posix } from 'node:path';
import { CcpError, nearest, omitUndefined, type Position } from '#core';
import type { ImageDefinition } from '#definitions';
import type { FileRecord } from '../types.ts';
import { parseDockerfile, wordsOf, type Instruction } from './dockerfile-instructions.ts';
import { matchesPattern } from './matches-pattern.ts';
import { instructionLocator } from './locate-step.ts';

/** Maximum number of findings; each searches the names of all files. */
const MAX_FINDINGS = 50;
/** Instructions whose template line is searched; the others have no position. */
const MAX_LOCATED = 100;

/** A context path that an instruction uses. */
export interface ContextPath {
  readonly keyword: string;
  /** Relative to the context, as a pattern of BuildKit (`*`, `?`, `[a-z]`). */
  readonly path: string;
  readonly at?: Position;
}

/**
 * The context paths that a linted Dockerfile uses, without locked inputs and mounts with a
 * variable.
 */
export function contextPaths(definition: ImageDefinition, dockerfile: string): ContextPath[] {
  const { instructions } = parseDockerfile(dockerfile);
  const locate = instructionLocator(definition, dockerfile, instructions);
  let located = 0;
  return instructions.flatMap((instruction, index) => {
    const paths = pathsOf(instruction)
      .map((path) => posix.normalize(path).replace(/^\/+|\/$/g, ''))
      .filter((path) => !/\$/.test(path) && !/^\.inputs(?:\/|$)/.test(path));
    if (paths.length === 0) return [];
    const at = located < MAX_LOCATED ? locate(index) : undefined;
    located += 1;
    return paths.map((path) => ({
      keyword: instruction.keyword,
      path,
      ...omitUndefined({ at }),
    }));
  });
}

/** `context-missing` for each of `paths` that is not in the context. */
export function checkContextPaths(
  paths: readonly ContextPath[],
  files: readonly FileRecord[],
  tree: readonly FileRecord[] | undefined,
): CcpError[] {
  const below = (folder: string, records: readonly FileRecord[]): string[] => [
    folder,
    ...records.map(({ path }) => `${folder}/${path}`),
  ];
  const known = [...below('files', files), ...(tree === undefined ? [] : below('tree', tree))];
  const all = new Set(known);
  const isPattern = (path: string): boolean => /[*?[]/.test(path);
  return paths
    .filter(
      ({ path }) =>
        !all.has(path) && !(isPattern(path) && known.some((each) => matchesPattern(each, path))),
    )
    .slice(0, MAX_FINDINGS)
    .map(({ keyword, path, at }) => {
      const meant = known.find((each) => each === `files/${path}`) ?? nearest(path, known);
      const hint =
        meant === undefined
          ? `the context contains files/${tree === undefined ? '' : ', tree/'} and .inputs/`
          : `did you mean ${meant}?`;
      return new CcpError({
        code: 'context-missing',
        message: `${keyword} ${path}: file not found in the build context`,
        hint,
        ...omitUndefined({ at }),
      });
    });
}

function pathsOf({ keyword, flags, rest }: Instruction): string[] {
  if (keyword === 'RUN')
    return flags
      .filter((flag) => flag.startsWith('--mount='))
      .flatMap((flag) => mountSource(flag.slice('--mount='.length)));
  if ((keyword !== 'COPY' && keyword !== 'ADD') || flags.some((flag) => flag.startsWith('--from=')))
    return [];
  return wordsOf(rest)?.slice(0, -1) ?? [];
}

function mountSource(options: string): string[] {
  const known = new Map(options.split(',').map((option) => option.split('=') as [string, string]));
  const source = known.get('source');
  return (known.get('type') ?? 'bind') !== 'bind' || known.has('from') || source === undefined
    ? []
    : [source];
}
