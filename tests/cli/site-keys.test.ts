import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryRegistry } from '#ports/testing';
import {
  newKeyPair,
  parseImageSet,
  setArtifact,
  setSignature,
  setsRepository,
  signerOf,
  signManifest,
} from '#release';
import { REPOSITORY } from '../helpers/ccp.ts';
import { repositorySet } from '../helpers/repository-set.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const IMAGES = ['keystone', 'mariadb', 'memcached', 'openstack-base', 'rabbitmq'];
const { privateKey, publicKey } = newKeyPair('ed25519', undefined);
const text = repositorySet(IMAGES);
const HINT =
  '  -> site example names keys: write a signed set with `ccp release show VERSION -o FILE`, and name it with --set FILE\n';

let workspace: TestWorkspace;
let file: string;
const render = (...args: readonly string[]) =>
  runInProcess(workspace.root, ['render', 'example', ...args]);
const refused = (why: string) => ({
  exitCode: 6,
  stdout: '',
  stderr: `ccp: ${file} is not trusted: ${why}\n${HINT}`,
});

/** The signature of the set, as `ccp release show -o` writes it. */
async function signature(key: string): Promise<string> {
  const place = { registry: memoryRegistry(), prefix: 'ccp' };
  const signer = signerOf(key, 'key', undefined);
  const { digest, manifest, blobs } = setArtifact(parseImageSet(text, 'set'));
  const repository = setsRepository(place);
  for (const { descriptor, bytes } of blobs) place.registry.blobs.set(descriptor.digest, bytes);
  await place.registry.writeManifest(repository, digest, '', manifest);
  await signManifest(place, { repository, digest, size: manifest.length }, signer);
  return Buffer.from(await setSignature(place, digest, [signer.key])).toString();
}

beforeAll(() => {
  workspace = testWorkspace();
  const site = readFileSync(join(REPOSITORY, 'deploy-specs/example/site.yaml'), 'utf8');
  workspace.write('deploy-specs/example/site.yaml', `${site}\nkeys: [release.key.pub]\n`);
  workspace.write('deploy-specs/example/release.key.pub', publicKey);
  workspace.write('set.json', text);
  file = join(workspace.root, 'set.json');
});
afterAll(() => workspace.remove());

it('refuses a set without a signature', async () => {
  expect(await render('--set', file)).toEqual(refused(`${file}.sigstore.json does not exist`));
});

it('renders a set that a key of the site signed', async () => {
  workspace.write('set.json.sigstore.json', await signature(privateKey));
  const { exitCode, stderr, stdout } = await render('--set', file);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('kind: Deployment');
});

it('refuses a set that changed after it was signed', async () => {
  workspace.write('set.json', text.replace('"shipped":true', '"shipped":false'));
  const { exitCode, stderr } = await render('--set', file);
  expect([exitCode, stderr]).toEqual([
    6,
    expect.stringMatching(
      /set\.json\.sigstore\.json, it is a statement about another manifest than sha256:[0-9a-f]{64}\n/,
    ),
  ]);
  workspace.write('set.json', text);
});

it('refuses the signature of another key', async () => {
  const other = newKeyPair('ed25519', undefined).privateKey;
  workspace.write('set.json.sigstore.json', await signature(other));
  expect(await render('--set', file)).toEqual(
    refused(`in ${file}.sigstore.json, no trusted key signed it`),
  );
});

it('refuses a set that was built here and is not signed', async () => {
  workspace.write('.ccp/sets/2026.1.json', text);
  const { exitCode, stderr } = await render();
  expect([exitCode, stderr]).toEqual([
    6,
    expect.stringContaining('.ccp/sets/2026.1.json.sigstore.json does not exist\n'),
  ]);
});
