import { sha256 } from '#core';
import type { ImageDefinition } from '#definitions';

/** What the tests of an image expect by its definition alone; its lock adds the versions. */
export function definitionExpectations(definition: ImageDefinition) {
  const { tests, python, user, sizeBudget } = definition;
  return {
    image: definition.name,
    ...tests,
    ...(user === undefined ? {} : { user }),
    ...(sizeBudget === undefined ? {} : { sizeBudget }),
    shipped: definition.shipped,
    python: python !== undefined && definition.shipped,
    provided: python?.provided ?? [],
  };
}

/**
 * Names these expectations. The lock's versions are left out: where they change, so does the fingerprint. Every plan asks for
 * the key of every stored image, so it is not made canonical: tests that only changed their order run again.
 */
export function expectationsKey(definition: ImageDefinition): string {
  return sha256(JSON.stringify(definitionExpectations(definition)));
}
