/** Names of the Secrets that a pod, a workload or an Ingress refers to, in any field of the API. */
export function secretsOf(pod: unknown): readonly string[] {
  if (typeof pod !== 'object' || pod === null) return [];
  return Object.entries(pod).flatMap(([member, value]) => {
    if (member === 'secretName' && typeof value === 'string') return [value];
    const { name } = (value ?? {}) as { readonly name?: unknown };
    return (member === 'secretKeyRef' || member === 'secretRef' || member === 'secret') &&
      typeof name === 'string'
      ? [name]
      : secretsOf(value);
  });
}
