import { mapRecord } from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import { goModuleOf } from '#formats';
import type { LockSummary } from '#locks';
import type { ContextValue } from './context-values.ts';

/** The input of a rendering. */
export interface TemplateInput {
  readonly definition: ImageDefinition;
  readonly series: SeriesDefinition;
  readonly summary: LockSummary;
}

/** The build argument that carries a parent's reference. */
export function parentArg(role: string): string {
  return `CCP_PARENT_${role.toUpperCase().replaceAll('-', '_')}`;
}

/** Path of a source in the build context. */
export function sourcePath(key: string): string {
  return `.inputs/sources/${key}.tar`;
}

/**
 * Every name available in templates. Parents are references to build arguments, so that the
 * rendered bytes do not depend on digests. A Debian stage is the folder from which its packages are
 * mounted. `image.user`, `python` and `go` are null if absent.
 */
export function templateContext({
  definition,
  series,
  summary,
}: TemplateInput): Readonly<Record<string, ContextValue>> {
  const { user, python, go } = definition;
  return {
    image: {
      name: definition.name,
      title: definition.title,
      shipped: definition.shipped,
      user:
        user === undefined
          ? null
          : { name: user.name, uid: user.uid, gid: user.gid, home: user.home },
    },
    series: {
      name: series.name,
      codename: series.codename,
      suite: series.suite,
      python: series.python,
    },
    parents: mapRecord(definition.parents, (_, role) => `\${${parentArg(role)}}`),
    debian: mapRecord(definition.debian, (_, stage) => `.inputs/debian/${stage}`),
    python:
      python === undefined ? null : { project: python.project ?? null, extras: python.extras },
    go:
      go === undefined
        ? null
        : {
            programs: mapRecord(go.programs, (path) => ({
              path,
              version: goVersionOf(path, summary),
            })),
          },
    sources: mapRecord(summary.sources, ({ version, commit }, key) => ({
      version,
      commit,
      path: sourcePath(key),
    })),
    args: definition.args,
  };
}

/**
 * The locked version, without `v`, of the module that contains a program's package; null for the
 * image's own programs.
 */
function goVersionOf(path: string, { go }: LockSummary): string | null {
  const module = goModuleOf(path, Object.keys(go?.requires ?? {}));
  return module === undefined ? null : (go?.requires[module]?.replace(/^v/, '') ?? null);
}
