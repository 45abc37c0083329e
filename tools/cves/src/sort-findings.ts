import type { Finding } from './types.ts';

/** Sorts findings by vulnerability, package and first image. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const key = ({ cve, kind, package: name, version, images }: Finding): string =>
    [cve, kind, name, version, images[0]?.image ?? ''].join(' ');
  return findings.toSorted((a, b) => key(a).localeCompare(key(b), 'en', { numeric: true }));
}
