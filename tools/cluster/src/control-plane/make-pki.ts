import { mkdir } from 'node:fs/promises';
import { makeAuthority, makeCertificate, makeKeyPair, type CertificateRequest } from './certificates.ts';
import type { ControlPlanePlaces } from './program-arguments.ts';

/**
 * Makes the keys and certificates of a control plane in its folder: of the authority, of service accounts, of the API server
 * and of an administrator, and those of `more`.
 */
export async function makePki({ pki, address, services }: ControlPlanePlaces, more: readonly CertificateRequest[]): Promise<void> {
  await mkdir(pki, { recursive: true, mode: 0o700 });
  await makeAuthority(pki);
  const names = [
    'DNS:kubernetes.default.svc',
    'DNS:kubernetes.default.svc.cluster.local',
    'DNS:localhost',
    ...new Set(['127.0.0.1', address, firstOf(services)].map((each) => `IP:${each}`)),
  ];
  await Promise.all([
    makeKeyPair(pki, 'accounts'),
    makeCertificate(pki, { name: 'apiserver', subject: '/CN=kube-apiserver', use: 'serverAuth', names }),
    makeCertificate(pki, { name: 'admin', subject: '/O=system:masters/CN=admin', use: 'clientAuth' }),
    ...more.map(async (request) => await makeCertificate(pki, request)),
  ]);
}

/** The address that the Service `kubernetes` gets. */
function firstOf(range: string): string {
  return range.replace(/\.0\/\d+$/, '.1');
}
