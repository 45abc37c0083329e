import { hexOf, type Json } from '#core';
import { withDebianSources, type SourcedComponent } from './debian-sources.ts';
import { imagePurl, type StatementSubject } from './subject.ts';
import type { Component, InstalledPackage } from './types.ts';

/** SPDX demands a time; a clock would give equal images different documents. */
const NO_TIME = '1970-01-01T00:00:00Z';

/**
 * An SPDX 2.3 document of an image: the image, and its components with hashes, package URLs and
 * Debian source packages. Equal images have equal documents.
 */
export function spdxDocument(
  subject: StatementSubject,
  components: readonly Component[],
  debian: readonly InstalledPackage[],
): Json {
  const { name, version, digest } = subject;
  const root = 'SPDXRef-Image';
  const ids = components.map((_, index) => `SPDXRef-Package-${index + 1}`);
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${name} ${version}`,
    documentNamespace: `urn:ccp:spdx:sha256:${hexOf(digest)}`,
    creationInfo: { created: NO_TIME, creators: ['Tool: ccp-statements-1'] },
    documentDescribes: [root],
    packages: [
      {
        SPDXID: root,
        name,
        versionInfo: version,
        downloadLocation: 'NOASSERTION',
        filesAnalyzed: false,
        primaryPackagePurpose: 'CONTAINER',
        checksums: [{ algorithm: 'SHA256', checksumValue: hexOf(digest) }],
        externalRefs: [purlReference(imagePurl(subject))],
      },
      ...withDebianSources(components, debian).map((each, index) => packageOf(each, ids[index]!)),
    ],
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: root,
      },
      ...ids.map((id) => ({
        spdxElementId: root,
        relationshipType: 'CONTAINS',
        relatedSpdxElement: id,
      })),
    ],
  };
}

function packageOf(
  { name, version, purl, sha256, file, builtFrom }: SourcedComponent,
  id: string,
): Json {
  return {
    SPDXID: id,
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    ...(builtFrom === undefined
      ? {}
      : {
          supplier: 'Organization: Debian',
          sourceInfo: `built package from: ${builtFrom.name} ${builtFrom.version}`,
        }),
    ...(file === undefined ? {} : { packageFileName: file }),
    ...(sha256 === undefined
      ? {}
      : { checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }] }),
    externalRefs: [purlReference(purl)],
  };
}

function purlReference(purl: string): Json {
  return {
    referenceCategory: 'PACKAGE-MANAGER',
    referenceType: 'purl',
    referenceLocator: purl,
  };
}
