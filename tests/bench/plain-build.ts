import { createReadStream, readFileSync } from 'node:fs';
import pLimit from 'p-limit';
import { platform } from '#core';
import { connectEngine } from '#engines';

// The rival of overhead.bench.ts: builds the images that a file of JSON names with BuildKit, as
// `docker build` does, parents first. It stores, normalises and tests nothing. One process for all
// images costs less than a `docker build` for each.

/** One image to build. */
export interface PlainImage {
  /** Its name on the engine. */
  readonly reference: string;
  /** Name of its base on the engine. */
  readonly base: string;
  /** Path of the context's tar. */
  readonly context: string;
}

export interface PlainBuilds {
  readonly endpoint: string;
  readonly atOnce: number;
  /** Parents first. */
  readonly images: readonly PlainImage[];
}

async function build({ endpoint, atOnce, images }: PlainBuilds): Promise<void> {
  const engine = await connectEngine(endpoint);
  const limit = pLimit(atOnce);
  const done = new Map<string, Promise<void>>();
  const { signal } = new AbortController();
  const one = async ({ reference, base, context }: PlainImage): Promise<void> => {
    await engine.build(
      {
        context: () => createReadStream(context),
        dockerfile: 'Dockerfile',
        buildArgs: { CCP_PARENT_BASE: base },
        platform: platform('linux/amd64'),
        network: 'none',
        reference,
        noCache: true,
      },
      () => undefined,
      signal,
    );
  };
  for (const image of images) {
    const above = done.get(image.base) ?? Promise.resolve();
    done.set(
      image.reference,
      above.then(() => limit(() => one(image))),
    );
  }
  await Promise.all(done.values());
  await engine.close();
}

await build(JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as PlainBuilds);
