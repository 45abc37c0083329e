import { canonicalJson, mapRecord, sha256, type Sha256 } from '#core';
import { forSeries, type ImageDefinition, type SeriesDefinition } from '#definitions';
import type { StackHashes } from './stack.ts';

/**
 * All inputs of one image's resolution except mirrors, indexes and git hosts; a lock stores their
 * hash.
 */
export interface RequestParts {
  readonly definition: ImageDefinition;
  readonly series: SeriesDefinition;
  /** SHA-256 of the series' upper constraints, if it has any. */
  readonly constraints?: Sha256;
  /** SHA-256 of the npm packages that the definition requests, if any. */
  readonly npm?: Sha256;
  /** Role -> hashes of the parent's layers. */
  readonly parents: Readonly<Record<string, StackHashes>>;
}

/** SHA-256 of a request. */
export function requestHash(parts: RequestParts): Sha256 {
  return sha256(canonicalJson({ request: 1, ...requestRecord(parts) }));
}

/** The hashed record of a request. Series settings are included only for images that use them. */
function requestRecord({ definition, series, constraints, npm, parents }: RequestParts) {
  const { debian, python, go, sources } = definition;
  const hasDebian = Object.keys(debian).length > 0;
  const narrow = (items: Parameters<typeof forSeries>[0]): string[] =>
    forSeries(items, series).toSorted();
  return {
    suite: hasDebian ? series.suite : undefined,
    debian: mapRecord(debian, ({ on, packages, alone }) => ({
      on,
      packages: narrow(packages),
      alone,
    })),
    python: python && {
      project: python.project,
      extras: python.extras.toSorted(),
      packages: narrow(python.packages),
      tools: narrow(python.tools),
      provided: python.provided.toSorted(),
      version: series.python,
      constraints,
      overrides: series.overrides.map(({ requirement }) => requirement).sort(),
    },
    go: go && {
      toolchain: go.toolchain,
      modules: go.modules.toSorted(),
      programs: Object.values(go.programs).sort(),
      packages: go.packages.toSorted(),
    },
    npm,
    sources: mapRecord(sources, ({ repository, refs, archive, submodules }) => {
      return { repository, ref: refs[series.name], archive, submodules: submodules.toSorted() };
    }),
    parents: mapRecord(parents, (stack) => ({
      debian: stack.debian,
      python: python && stack.python,
      go: go && stack.go,
    })),
  };
}

/** Description of each part -> start of its hash, to report which parts of two requests differ. */
export function requestDigests(parts: RequestParts): Record<string, string> {
  const { suite, debian, python, go, npm, sources, parents } = requestRecord(parts);
  const { version, constraints, overrides, ...asked } = python ?? {};
  const digests = {
    "the series' suite": suite,
    'the Debian packages': debian,
    'the Python packages': python && asked,
    "the series' Python": version,
    "the series' constraints": constraints,
    ...Object.fromEntries(
      (overrides ?? []).map((requirement) => [`the override ${requirement}`, true]),
    ),
    'the Go modules and programs': go,
    'the npm packages': npm,
    ...Object.fromEntries(
      Object.entries(sources).map(([key, source]) => [`the source ${key}`, source]),
    ),
    ...Object.fromEntries(
      Object.entries(parents).map(([role, parent]) => [
        `the locked packages of the ${role} ${parts.definition.parents[role]}`,
        parent,
      ]),
    ),
  };
  return mapRecord(digests, (value) => sha256(canonicalJson(value ?? null)).slice(0, 16));
}
