import { omitUndefined, sha256 } from '#core';
import type { ImageDefinition } from '#definitions';

/** The test expectations from an image's definition alone; its lock adds the versions. */
export function definitionExpectations(definition: ImageDefinition) {
  const { tests, python, user, sizeBudget } = definition;
  return {
    image: definition.name,
    ...tests,
    ...omitUndefined({ user }),
    ...omitUndefined({ sizeBudget }),
    shipped: definition.shipped,
    python: python !== undefined && definition.shipped,
    provided: python?.provided ?? [],
  };
}

/**
 * Key of these expectations. It has no versions of the lock: when they change, so does the
 * fingerprint. It is not canonical, for speed: tests that only changed their order run again.
 */
export function expectationsKey(definition: ImageDefinition): string {
  return sha256(JSON.stringify(definitionExpectations(definition)));
}
