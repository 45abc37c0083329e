import { hexOf, type Json } from '#core';
import { withDebianSources, type SourcedComponent } from './debian-sources.ts';
import { imagePurl, type StatementSubject } from './subject.ts';
import type { Component, InstalledPackage } from './types.ts';

/**
 * A CycloneDX 1.6 document of an image, from the same records as the SPDX document. It has no time.
 */
export function cycloneDxDocument(
  subject: StatementSubject,
  components: readonly Component[],
  debian: readonly InstalledPackage[],
): Json {
  const { name, version, digest } = subject;
  const root = imagePurl(subject);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(hexOf(digest))}`,
    version: 1,
    metadata: {
      component: {
        type: 'container',
        'bom-ref': root,
        name,
        version,
        purl: root,
        hashes: [{ alg: 'SHA-256', content: hexOf(digest) }],
      },
    },
    components: withDebianSources(components, debian).map(componentOf),
    dependencies: [{ ref: root, dependsOn: components.map(({ purl }) => purl) }],
  };
}

function componentOf({ name, version, purl, sha256, file, builtFrom }: SourcedComponent): Json {
  const properties = [
    ...(file === undefined ? [] : [{ name: 'ccp:file', value: file }]),
    ...(builtFrom === undefined
      ? []
      : [
          { name: 'ccp:debian:source', value: builtFrom.name },
          { name: 'ccp:debian:source-version', value: builtFrom.version },
        ]),
  ];
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(sha256 === undefined ? {} : { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
    ...(properties.length === 0 ? {} : { properties }),
  };
}

/** A name-based UUID (version 8) from the start of a hash. */
function uuidOf(hash: string): string {
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
