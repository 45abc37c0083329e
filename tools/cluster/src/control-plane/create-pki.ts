import { mkdir } from 'node:fs/promises';
import {
  createAuthority,
  createCertificate,
  createKeyPair,
  type CertificateRequest,
} from './certificates.ts';
import type { ControlPlanePlaces } from './program-arguments.ts';

/**
 * Creates the keys and certificates of a control plane in its folder: the authority, service
 * accounts, the API server, an administrator, and `more`.
 */
export async function createPki(
  { pki, address, services }: ControlPlanePlaces,
  more: readonly CertificateRequest[],
): Promise<void> {
  await mkdir(pki, { recursive: true, mode: 0o700 });
  await createAuthority(pki);
  const names = [
    'DNS:kubernetes.default.svc',
    'DNS:kubernetes.default.svc.cluster.local',
    'DNS:localhost',
    ...new Set(['127.0.0.1', address, firstOf(services)].map((each) => `IP:${each}`)),
  ];
  await Promise.all([
    createKeyPair(pki, 'accounts'),
    createCertificate(pki, {
      name: 'apiserver',
      subject: '/CN=kube-apiserver',
      use: 'serverAuth',
      names,
    }),
    createCertificate(pki, {
      name: 'admin',
      subject: '/O=system:masters/CN=admin',
      use: 'clientAuth',
    }),
    ...more.map(async (request) => await createCertificate(pki, request)),
  ]);
}

/** The address of the Service `kubernetes`. */
function firstOf(range: string): string {
  return range.replace(/\.0\/\d+$/, '.1');
}
