import { isRecord } from '#core';
import type { Pod } from '../wait/pod.ts';

/**
 * The newest migrations of each database that a container has written to its termination message:
 * `{"schemas":{"keystone":["29e87d24a316"]}}`. Other messages are ignored.
 */
export function reportedSchemas(
  pods: readonly Pick<Pod, 'status'>[],
): Readonly<Record<string, readonly string[]>> | undefined {
  for (const { status } of pods)
    for (const { state } of status?.containerStatuses ?? []) {
      const found = schemasIn(state?.terminated?.message ?? '');
      if (found !== undefined) return found;
    }
  return undefined;
}

function schemasIn(text: string): Readonly<Record<string, readonly string[]>> | undefined {
  try {
    const message: unknown = JSON.parse(text);
    const schemas = isRecord(message) ? message['schemas'] : undefined;
    return isRecord(schemas) && Object.values(schemas).every(isList)
      ? (schemas as Readonly<Record<string, readonly string[]>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
