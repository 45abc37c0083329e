import { describe, expect, it } from 'vitest';
import { imageName, parseDigest, parseSha256, platform, series, type Fingerprint } from '#core';
import { imageSetText, parseImageSet, setAppSpec, type ImageSet } from './index.ts';

const HASH = 'a'.repeat(64);
const APP = setAppSpec('keystone', {
  schema: '1.7.0',
  files: { 'app.yaml': 'title: Keystone\n', 'config/start.sh': 'exec keystone\n' },
});
const SET: ImageSet = {
  format: 2,
  series: series('2026.1'),
  platform: platform('linux/amd64'),
  overrides: [{ requirement: 'pyasn1==0.6.2', reason: 'a hole in 0.6.0', expires: '2026-12-31' }],
  images: [
    {
      name: imageName('keystone'),
      version: `2026.1-${HASH.slice(0, 32)}`,
      fingerprint: HASH as Fingerprint,
      digest: parseDigest(`sha256:${HASH}`),
      size: 2,
      compressedSize: 1,
      shipped: true,
      unlocked: true,
      sources: {
        keystone: {
          repository: 'https://git.test/keystone',
          commit: 'b'.repeat(40),
          version: '29.0.2',
        },
      },
      packages: {
        debian: { runtime: parseSha256(HASH) },
        python: { runtime: parseSha256(HASH) },
        go: { files: parseSha256(HASH) },
      },
      parents: { base: imageName('openstack-base') },
      contentKey: HASH,
      app: APP,
    },
  ],
};
const read =
  (change: object, set: object = {}) =>
  () =>
    parseImageSet(
      JSON.stringify({ ...SET, images: [{ ...SET.images[0], ...change }], ...set }),
      'set.json',
    );

describe('parseImageSet', () => {
  it('reads its own output and ignores unknown members', () => {
    expect(parseImageSet(imageSetText(SET), 'set.json')).toEqual(SET);
    expect(read({ extra: 1 })()).toEqual(SET);
  });

  it('reads sets of format 1, which have no app specs', () => {
    const { contentKey: _, app: __, ...entry } = SET.images[0]!;
    expect(read({}, { format: 1 })()).toEqual({ ...SET, format: 1, images: [entry] });
  });

  it.each([
    [read({ shipped: 'yes' }), 'images[0].shipped is not a boolean'],
    [read({ unlocked: false }), 'images[0].unlocked is not true'],
    [read({ sources: [] }), 'images[0].sources is not an object'],
    [
      read({ sources: { x: { repository: 'r', version: '1', commit: 'HEAD' } } }),
      'images[0].sources.x.commit is not a commit',
    ],
    [read({ sources: { x: 'r' } }), 'images[0].sources.x is not an object'],
    [read({ packages: null }), 'images[0].packages.debian is not an object'],
    [
      read({ packages: { debian: { runtime: 1 }, python: {} } }),
      'images[0].packages.debian.runtime is not a string',
    ],
    [
      read({ packages: { debian: {}, python: { runtime: 'x' } } }),
      '"x" is not a SHA-256 in hexadecimal',
    ],
    [
      read({ packages: { debian: {}, python: {}, go: { files: 1 } } }),
      'images[0].packages.go.files is not a string',
    ],
    [read({ parents: undefined }), 'images[0].parents is not an object'],
    [read({ parents: { base: 'No' } }), 'images[0].parents.base is not an image name'],
    [read({ digest: 'latest' }), 'images[0].digest is not a sha256 digest'],
    [read({ version: '../x' }), `images[0].version is not 2026.1-${HASH.slice(0, 32)}`],
    [read({ size: -1 }), '"size" is not a byte count'],
    [read({}, { images: [SET.images[0], SET.images[0]] }), 'image keystone is listed twice'],
    [read({}, { overrides: {} }), '"overrides" is not a list'],
    [
      read({}, { overrides: [{ requirement: 'a==1', expires: '2026-12-31' }] }),
      '"reason" is not a string',
    ],
    [read({ contentKey: undefined }), '"contentKey" is not a string'],
    [read({ app: 'app.yaml' }), 'images[0].app is not an object'],
    [read({ app: { ...APP, schema: 'one' } }), 'images[0].app.schema is not a version'],
    [read({ app: { ...APP, files: [] } }), 'images[0].app.files is not an object'],
    [read({ app: { ...APP, files: {} } }), 'images[0].app.files has no app.yaml'],
    [
      read({ app: { ...APP, files: { 'config/../x': '' } } }),
      'images[0].app.files has the path "config/../x"',
    ],
    [
      read({ app: { ...APP, files: { 'app.yaml': 1 } } }),
      'images[0].app.files.app.yaml is not a string',
    ],
    [
      read({ app: { ...APP, files: { 'app.yaml': 'title: Other\n' } } }),
      'images[0].app.digest does not match its files',
    ],
    [read({}, { images: {} }), '"images" is not a list'],
    [
      () => parseImageSet('no\nJSON', 'set.json'),
      `it is not JSON (Unexpected token 'o', "no\\nJSON" is not valid JSON)`,
    ],
    [
      () => parseImageSet('{', 'set.json'),
      "it is not JSON (Expected property name or '}' in JSON at position 1 (line 1 column 2))",
    ],
  ])('refuses an invalid image set: %s', (parse, what) => {
    expect(parse).toThrow(
      expect.objectContaining({
        code: 'image-set-invalid',
        message: `set.json is not an image set: ${what}`,
        hint: 'write a new image set: ccp build',
      }),
    );
  });

  it('reads the digests of statements in format 3', () => {
    const digest = `sha256:${'5'.repeat(64)}`;
    const statements = { spdx: digest, cyclonedx: digest, provenance: digest, tests: digest };
    const { images, format } = read({ statements }, { format: 3 })();
    expect([format, images[0]!.statements]).toEqual([3, statements]);
    expect(read({ statements })().images[0]!.statements).toBeUndefined();
    expect(read({ statements: { ...statements, spdx: 'x' } }, { format: 3 })).toThrow(
      'images[0].statements.spdx is not a sha256 digest',
    );
  });

  it('refuses another format', () => {
    expect(read({}, { format: undefined })).toThrow(
      'set.json is not an image set: it has no format number',
    );
    expect(read({}, { format: 4 })).toThrow(
      expect.objectContaining({
        code: 'image-set-format',
        message: 'set.json has format 4, this tool reads formats 1, 2 and 3',
      }),
    );
  });
});
