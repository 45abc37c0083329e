import type { Json } from '#core';
import type { StatementSubject } from './subject.ts';
import type { StatementInputs } from './types.ts';

/** Predicate type of SLSA 1.0 to 1.2. */
export const PROVENANCE = 'https://slsa.dev/provenance/v1';
/** Defined in docs/provenance.md. */
const BUILD_TYPE = 'urn:ccp:build-type:image:v1';
/** The key that signed the image set says who ran the build. */
const BUILDER = 'urn:ccp:builder:workspace';

/** The SLSA provenance of an image: its parameters and all inputs, without times. */
export function provenance(
  { name, series, platform, fingerprint }: StatementSubject,
  { parameters, dependencies }: Pick<StatementInputs, 'parameters' | 'dependencies'>,
): Json {
  return {
    buildDefinition: {
      buildType: BUILD_TYPE,
      externalParameters: { image: name, series, platform },
      internalParameters: { fingerprint, ...parameters },
      resolvedDependencies: [...dependencies]
        .sort((a, b) => compare(a.uri, b.uri) || compare(a.name ?? '', b.name ?? ''))
        .map((each) => ({ ...each })) as unknown as Json,
    },
    runDetails: { builder: { id: BUILDER } },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
