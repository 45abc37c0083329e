import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { hexOf, isRecord, type Json } from '#core';
import { memoryImages } from '../testing/memory-images.ts';
import { exampleInputs } from '../testing/statement-inputs.ts';
import { imageStatements } from './image-statements.ts';
import type { StatementKind } from './set-statements.ts';
import type { StatementInputs } from './types.ts';

const { set, content } = memoryImages(['keystone']);
const [entry] = set.images;
const size = content.document(entry!.digest).length;
const make = (inputs: StatementInputs = exampleInputs()) =>
  imageStatements(set, { ...entry!, tests: 'f'.repeat(64) }, size, inputs);
const documentOf = (kind: StatementKind, inputs?: StatementInputs): Record<string, Json> =>
  JSON.parse(Buffer.from(make(inputs).artifacts[kind]!.blobs.at(-1)!.bytes).toString()) as Record<
    string,
    Json
  >;
const image = `pkg:oci/keystone@sha256:${hexOf(entry!.digest)}?tag=${entry!.version}`;

/** The folder of the official schemas; undefined if node_modules is older than the lock. */
function cycloneDxSchemas(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    const library = require.resolve('@cyclonedx/cyclonedx-library/package.json');
    return join(dirname(library), 'res', 'schema');
  } catch {
    return undefined;
  }
}

describe('imageStatements', () => {
  it('gives equal inputs equal digests, in any order', () => {
    const inputs = exampleInputs();
    const reversed = { ...inputs, dependencies: [...inputs.dependencies].reverse() };
    expect(make(reversed).digests).toEqual(make().digests);
  });

  it('refers to the image, with types that scanners look for', () => {
    const { artifacts } = make();
    const manifests = Object.entries(artifacts).map(([kind, { manifest }]) => {
      const { artifactType, subject } = JSON.parse(Buffer.from(manifest).toString()) as {
        readonly artifactType: string;
        readonly subject: { readonly digest: string };
      };
      expect(subject.digest).toBe(entry!.digest);
      return [kind, artifactType];
    });
    expect(manifests).toEqual([
      ['spdx', 'application/spdx+json'],
      ['cyclonedx', 'application/vnd.cyclonedx+json'],
      ['provenance', 'application/vnd.in-toto+json'],
      ['tests', 'application/vnd.in-toto+json'],
    ]);
  });

  it('lists packages with hashes, package URLs and Debian source packages', () => {
    const document = documentOf('spdx');
    expect(document['creationInfo']).toEqual({
      created: '1970-01-01T00:00:00Z',
      creators: ['Tool: ccp-statements-1'],
    });
    interface SpdxPackage {
      readonly name: string;
      readonly sourceInfo?: string;
      readonly externalRefs: readonly { readonly referenceLocator: string }[];
    }
    const found = (document['packages'] as unknown as readonly SpdxPackage[]).map(
      ({ name, sourceInfo, externalRefs }) => [name, externalRefs[0]?.referenceLocator, sourceInfo],
    );
    expect(found).toEqual([
      ['keystone', image, undefined],
      [
        'libldap2',
        'pkg:deb/debian/libldap2@2.6.10%2Bdfsg-1?arch=amd64&distro=trixie',
        'built package from: openldap 2.6.10+dfsg-1',
      ],
      ['flask-restful', 'pkg:pypi/flask-restful@0.3.10', undefined],
      [
        'keystone',
        `pkg:pypi/keystone@29.0.2?vcs_url=git%2Bhttps://git.example.org/keystone%40${'a'.repeat(40)}`.replace(
          'https:',
          'https:',
        ),
        undefined,
      ],
    ]);
    expect(document['relationships']).toHaveLength(4);
  });

  it('names all inputs in the provenance, without a time', () => {
    const { predicate, subject, predicateType } = documentOf('provenance');
    expect(predicateType).toBe('https://slsa.dev/provenance/v1');
    expect(subject).toEqual([{ name: 'keystone', digest: { sha256: hexOf(entry!.digest) } }]);
    expect(predicate).toMatchObject({
      buildDefinition: {
        buildType: 'urn:ccp:build-type:image:v1',
        externalParameters: { image: 'keystone', series: '2026.1', platform: 'linux/amd64' },
        internalParameters: { fingerprint: entry!.fingerprint, origin: 'git', semantics: 3 },
        resolvedDependencies: [...exampleInputs().dependencies].reverse(),
      },
    });
    expect((predicate as { runDetails: Json }).runDetails).toEqual({
      builder: { id: 'urn:ccp:builder:workspace' },
    });
  });

  it('names the passed tests', () => {
    expect(documentOf('tests')).toMatchObject({
      predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
      predicate: {
        result: 'PASSED',
        configuration: [{ digest: { sha256: 'f'.repeat(64) } }],
        passedTests: ['imports keystone', 'its API responds'],
        failedTests: [],
      },
    });
  });

  const schemas = cycloneDxSchemas();
  it.skipIf(schemas === undefined)(
    'writes CycloneDX that the official schema accepts (skipped if node_modules is older than the lock)',
    () => {
      const load = (name: string): object =>
        JSON.parse(readFileSync(join(schemas!, name), 'utf8')) as object;
      const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
      for (const name of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json'])
        ajv.addSchema({ ...load(name), $id: `http://cyclonedx.org/schema/${name}` });
      const check = ajv.compile(load('bom-1.6.SNAPSHOT.schema.json'));
      const document = documentOf('cyclonedx');
      check(document);
      expect(check.errors).toBeNull();
      expect(document['components']).toHaveLength(3);
      check({ ...document, serialNumber: 'x', components: [{ type: 'library' }] });
      expect(check.errors?.length).toBeGreaterThan(1);
    },
  );
});

describe('an image with other packages than its locks', () => {
  it('is refused, with each difference', () => {
    const { installed, ...others } = exampleInputs();
    const python = [...installed.python.slice(1), { name: 'Extra_Tool', version: '1.0' }];
    const debian = [{ name: 'libldap2', version: '2.6.11', architecture: 'amd64' }];
    expect(() => make({ ...others, installed: { debian, python } })).toThrow(
      expect.objectContaining({
        code: 'statement-mismatch',
        message:
          'keystone does not contain the packages of its locks: Debian package libldap2 2.6.10+dfsg-1 amd64 is missing, Debian package libldap2 2.6.11 amd64 is not locked, Python distribution extra-tool 1.0 is not locked, Python distribution flask-restful 0.3.10 is missing',
        hint: 'the image has 4 differences from its package list; build it again: ccp build keystone --rebuild --no-cache',
      }),
    );
  });

  it('may spell names and versions of Python as PEP 440 allows', () => {
    const inputs = exampleInputs();
    const python = [
      { name: 'flask.restful', version: '0.3.10' },
      { name: 'Keystone', version: 'v29.0.2' },
    ];
    expect(isRecord(make({ ...inputs, installed: { ...inputs.installed, python } }).digests)).toBe(
      true,
    );
  });
});
