import { createReadStream, readFileSync } from 'node:fs';
import pLimit from 'p-limit';
import { testImage, type ImageExpectations } from '#build';
import type { Digest, ImageName } from '#core';
import { connectEngine } from '#engines';
import type { ImageIdentity } from '#ports';
import { openStore } from '#store';

// The rival of overhead.bench.ts: makes the calls that a file of JSON names, parents first, and knows nothing of plans, layers,
// layouts or records. Its registry accepts pushes of the engine and serves the blobs of `ccp build`.

/** Inputs and known results of one image. */
export interface BareImage {
  readonly identity: ImageIdentity;
  readonly parent: { readonly image: ImageName; readonly digest: Digest };
  /** Path of the context's tar. */
  readonly context: string;
  /** Digest that `ccp build` stored it by. */
  readonly digest: Digest;
  readonly expected: ImageExpectations;
}

export interface BareCalls {
  readonly endpoint: string;
  /** Folder of the store. */
  readonly store: string;
  readonly atOnce: number;
  /** Parents first. */
  readonly images: readonly BareImage[];
}

async function build({ endpoint, store: folder, atOnce, images }: BareCalls): Promise<void> {
  const store = await openStore({ folder });
  const engine = await connectEngine(endpoint);
  const limit = pLimit(atOnce);
  const done = new Map<ImageName, Promise<void>>();
  const untagged: Promise<void>[] = [];
  const parents = new Set(images.map(({ parent }) => parent.image));
  const { signal } = new AbortController();
  const one = async ({ identity, parent, context, digest, expected }: BareImage): Promise<void> => {
    const incoming = store.incoming(identity);
    const reference = store.reference(identity.image, digest);
    const buildArgs = { CCP_PARENT_BASE: store.reference(parent.image, parent.digest) };
    await engine.build(
      {
        context: () => createReadStream(context),
        dockerfile: 'Dockerfile',
        buildArgs,
        platform: identity.platform,
        network: 'none',
        reference: incoming,
        noCache: true,
      },
      () => undefined,
      signal,
    );
    await engine.push(incoming, signal, store.login);
    await engine.pull(reference, signal, store.login);
    const { findings } = await testImage(expected, {
      reference,
      runner: engine,
      config: {},
      size: 0,
    });
    if (findings.length > 0) throw new Error(findings.map(({ message }) => message).join('\n'));
    await engine.untag(incoming);
    if (!parents.has(identity.image)) untagged.push(engine.untag(reference));
  };
  for (const image of images) {
    const above = done.get(image.parent.image) ?? Promise.resolve();
    done.set(
      image.identity.image,
      above.then(() => limit(() => one(image))),
    );
  }
  await Promise.all(done.values());
  for (const { identity, digest } of images)
    if (parents.has(identity.image))
      untagged.push(engine.untag(store.reference(identity.image, digest)));
  await Promise.all(untagged);
  await engine.close();
  await store.close();
}

await build(JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as BareCalls);
