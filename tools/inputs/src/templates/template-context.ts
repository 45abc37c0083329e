import { goModuleOf, mapRecord } from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import type { LockSummary } from '#locks';
import type { TemplateValue } from './strict-record.ts';

/** What a template is rendered from. */
export interface TemplateInput {
  readonly definition: ImageDefinition;
  readonly series: SeriesDefinition;
  readonly summary: LockSummary;
}

/** The build argument that carries a parent's reference. */
export function parentArg(role: string): string {
  return `CCP_PARENT_${role.toUpperCase().replaceAll('-', '_')}`;
}

/** Where a source lies in the build context. */
export function sourcePath(key: string): string {
  return `.inputs/sources/${key}.tar`;
}

/**
 * Every name a template may use. Parents are references to build arguments, so rendered bytes do not depend on digests;
 * a Debian stage is the folder its packages are mounted from; `image.user`, `python` and `go` are null where there is none.
 */
export function templateContext({ definition, series, summary }: TemplateInput): Readonly<Record<string, TemplateValue>> {
  const { user, python, go } = definition;
  return {
    image: {
      name: definition.name,
      title: definition.title,
      shipped: definition.shipped,
      user: user === undefined ? null : { name: user.name, uid: user.uid, gid: user.gid, home: user.home },
    },
    series: { name: series.name, codename: series.codename, suite: series.suite, python: series.python },
    parents: mapRecord(definition.parents, (_, role) => `\${${parentArg(role)}}`),
    debian: mapRecord(definition.debian, (_, stage) => `.inputs/debian/${stage}`),
    python: python === undefined ? null : { project: python.project ?? null, extras: python.extras },
    go: go === undefined ? null : { programs: mapRecord(go.programs, (path) => ({ path, version: goVersionOf(path, summary) })) },
    sources: mapRecord(summary.sources, ({ version, commit }, key) => ({ version, commit, path: sourcePath(key) })),
    args: definition.args,
  };
}

/** The locked version of the module that holds a program's package, without `v`; null for a program of the image's own. */
function goVersionOf(path: string, { go }: LockSummary): string | null {
  const module = goModuleOf(path, Object.keys(go?.requires ?? {}));
  return module === undefined ? null : (go?.requires[module]?.replace(/^v/, '') ?? null);
}
