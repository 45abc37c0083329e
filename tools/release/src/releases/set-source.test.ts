import { beforeEach, expect, it } from 'vitest';
import type { Digest, Json } from '#core';
import { memoryRegistry } from '#ports/testing';
import { newKeyPair, signerOf } from '../index.ts';
import { setsRepository } from '../publish/place.ts';
import { attachStatement } from '../publish/statements.ts';
import { publishEmptySet } from '../testing/empty-set.ts';
import type { ImageSet } from '../types.ts';
import { setProvenance, setSource, type SetSource } from './set-source.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const keys = [signer.key];
const COMMIT = 'c'.repeat(40);
const SOURCE: SetSource = { commit: COMMIT, folder: '.', origin: 'git' };

let place: { registry: ReturnType<typeof memoryRegistry>; prefix: string };
let set: ImageSet;
let digest: Digest;
beforeEach(async () => {
  place = { registry: memoryRegistry(), prefix: 'ccp' };
  ({ set, digest } = await publishEmptySet(place, signer, 'a'));
});

async function attach(source: SetSource, change = (predicate: Json) => predicate): Promise<void> {
  const { predicateType, predicate } = setProvenance(set, source);
  const subject = { repository: setsRepository(place), digest, size: 1 };
  await attachStatement(place, subject, signer, { predicateType, predicate: change(predicate) });
}

it.each([
  SOURCE,
  { ...SOURCE, repository: 'https://git.example.org/a.git', folder: 'a/b', origin: 'archive' },
] as const)('reads the commit that was signed: %j', async (source) => {
  await attach(source);
  expect(await setSource(place, digest, keys)).toEqual(source);
});

it('refuses provenance of an unknown key', async () => {
  await attach(SOURCE);
  const other = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
  await expect(setSource(place, digest, [other.key])).rejects.toMatchObject({
    code: 'untrusted',
    message: `the provenance of registry.test/ccp/ccp.sets@${digest} is not trusted: no trusted key signed it`,
  });
});

it.each([
  ['a URL that runs a program', `git+ext::sh -c date@${COMMIT}`, {}],
  ['a path of the machine', `git+file:///srv/a@${COMMIT}`, {}],
  ['another commit in the URL', `git+https://git.example.org/a@${'d'.repeat(40)}`, {}],
  ['a folder outside the clone', undefined, { folder: 'a/../..' }],
  ['an absolute folder', undefined, { folder: '/etc' }],
])('refuses %s', async (_, uri, parameters) => {
  await attach(SOURCE, (predicate) => {
    const { buildDefinition } = structuredClone(predicate) as unknown as {
      readonly buildDefinition: {
        readonly externalParameters: object;
        readonly resolvedDependencies: { uri: string }[];
      };
    };
    Object.assign(buildDefinition.externalParameters, parameters);
    if (uri !== undefined) buildDefinition.resolvedDependencies[0]!.uri = uri;
    return { buildDefinition } as unknown as Json;
  });
  await expect(setSource(place, digest, keys)).rejects.toMatchObject({
    code: 'untrusted',
    message: expect.stringContaining('it names no commit of a workspace'),
  });
});
