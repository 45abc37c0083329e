/** Names of the Secrets that a pod, what makes pods or an Ingress reads: wherever the API has a reference to one. */
export function secretsOf(pod: unknown): readonly string[] {
  if (typeof pod !== 'object' || pod === null) return [];
  return Object.entries(pod).flatMap(([member, value]) => {
    if (member === 'secretName' && typeof value === 'string') return [value];
    const { name } = (value ?? {}) as { readonly name?: unknown };
    return (member === 'secretKeyRef' || member === 'secretRef' || member === 'secret') && typeof name === 'string' ? [name] : secretsOf(value);
  });
}
