import type { CcpError } from '#core';
import type { Site } from '#definitions';
import { siteFindings } from './site-findings.ts';

/** Refuses namespaces of Kubernetes itself, since the site labels its namespace. */
export function checkNamespace(site: Site): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const { namespace } = site;
  if (namespace.startsWith('kube-'))
    refuse(
      ['namespace'],
      `the namespace "${namespace}" is reserved for Kubernetes`,
      'use another namespace',
    );
  return findings;
}
