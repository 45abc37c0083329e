import { stringify } from 'yaml';
import type { KubernetesObject } from '#ports';

/**
 * Objects as a stream of YAML documents, with quotes as required by YAML 1.1, which kubectl reads.
 */
export function objectsText(objects: readonly KubernetesObject[]): string {
  return objects
    .map(
      (object) =>
        `---\n${stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' })}`,
    )
    .join('');
}
