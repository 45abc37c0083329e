import type { Site } from '#definitions';
import type { SiteFindings } from './site-findings.ts';

/** A namespace that is Kubernetes' own: the site's is labelled and filled. */
export function checkNamespace({ namespace }: Site, { refuse }: SiteFindings): void {
  if (namespace.startsWith('kube-')) refuse(['namespace'], `the namespace "${namespace}" is kept for Kubernetes itself`, 'give the site a namespace of its own');
}
