import type { Place } from './place.ts';

/**
 * The place with a registry that is asked only once for a blob of a repository that it has: all
 * artifacts of an image share the empty config. For checks without a write between them.
 */
export function withKnownBlobs(place: Place): Place {
  const { registry } = place;
  const answers = new Map<string, Promise<boolean>>();
  const hasBlob: typeof registry.hasBlob = (repository, digest) => {
    const name = `${repository}@${digest}`;
    const answer = answers.get(name) ?? registry.hasBlob(repository, digest);
    answers.set(name, answer);
    return answer;
  };
  return { ...place, registry: { ...registry, hasBlob } };
}
