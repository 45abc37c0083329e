import { quantity } from './quantity.ts';

/** Kubernetes quantities of a container. */
interface Quantities {
  readonly cpu?: string;
  readonly memory?: string;
}

/**
 * The resources whose request exceeds the limit, with a message each: Kubernetes refuses such a
 * pod.
 */
export function resourceFaults({
  requests = {},
  limits = {},
}: {
  readonly requests?: Quantities;
  readonly limits?: Quantities;
}): { readonly resource: 'cpu' | 'memory'; readonly message: string }[] {
  return (['cpu', 'memory'] as const).flatMap((resource) => {
    const [asked, most] = [requests[resource], limits[resource]];
    if (asked === undefined || most === undefined || quantity(asked) <= quantity(most)) return [];
    return [{ resource, message: `requests ${asked} of ${resource}, but its limit is ${most}` }];
  });
}
