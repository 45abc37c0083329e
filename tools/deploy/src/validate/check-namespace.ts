import type { FileFindings } from '#core';
import type { Site } from '#definitions';

/** A namespace that is Kubernetes' own: the site's is labelled and filled. */
export function checkNamespace({ namespace }: Site, { refuse }: FileFindings): void {
  if (namespace.startsWith('kube-'))
    refuse(['namespace'], `the namespace "${namespace}" is kept for Kubernetes itself`, 'give the site a namespace of its own');
}
