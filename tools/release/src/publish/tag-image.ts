import { setTimeout } from 'node:timers/promises';
import { hexOf } from '#core';
import { MANIFEST_TYPE } from '../oci.ts';
import type { ImageSetEntry } from '../types.ts';
import { CLAIM_POLLS, DEAD_POLLS, POLL_MS, type Sleep } from './claims.ts';
import { readBack, repositoryOf, type Place } from './place.ts';

/**
 * Names an image by its fingerprint, unless another builder was first. Builders of different bytes
 * see each other's tags `claim-VERSION-MARK`, so that one of them writes the tag; builders of equal
 * bytes have one claim. `sleep` waits between looks; it is a timer by default.
 */
export async function tagImage(
  { registry, prefix }: Place,
  { name, version, digest }: ImageSetEntry,
  sleep: Sleep = setTimeout,
): Promise<void> {
  const repository = repositoryOf({ prefix }, name);
  const isTagged = async (): Promise<boolean> =>
    (await registry.manifestDigest(repository, version)) !== undefined;
  if (await isTagged()) return;
  const manifest = await registry.readManifest(repository, digest);
  if (manifest === undefined) return readBack(registry, repository, digest, digest);
  const claims = `claim-${version}-`;
  const own = `${claims}${hexOf(digest).slice(0, 32)}`;
  await registry.writeManifest(repository, own, MANIFEST_TYPE, manifest.bytes);
  for (let poll = 0; ; poll += 1) {
    const all = await registry.tags(repository);
    if (await isTagged()) return;
    const others = all.filter((tag) => tag.startsWith(claims) && tag !== own);
    const polls = others.some((tag) => tag < own) ? DEAD_POLLS : CLAIM_POLLS;
    if (others.length === 0 || poll >= polls) break;
    await sleep(POLL_MS);
  }
  try {
    await registry.writeManifest(repository, version, MANIFEST_TYPE, manifest.bytes);
  } catch (thrown) {
    // A registry with immutable tags refuses the tag if another builder was first.
    if (!(await isTagged())) throw thrown;
  }
}
