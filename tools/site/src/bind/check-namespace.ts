import type { FileFindings } from '#core';
import type { Site } from '#definitions';

/** Refuses namespaces of Kubernetes itself, since the site labels its namespace. */
export function checkNamespace({ namespace }: Site, { refuse }: FileFindings): void {
  if (namespace.startsWith('kube-'))
    refuse(
      ['namespace'],
      `the namespace "${namespace}" is reserved for Kubernetes`,
      'use another namespace',
    );
}
