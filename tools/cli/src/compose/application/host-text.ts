import type { HostLabels } from '#application';

/** A host and its labels, a line each. */
export function hostLines({ host, locked, labels }: HostLabels): readonly string[] {
  return [
    `${host} is ${locked ? 'locked' : 'unlocked'}`,
    ...Object.entries(labels)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `  ${key}=${value}`),
  ];
}
