import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseImageSet, setArtifact, setsRepository, signerOf, signManifest } from '#release';
import { openStore } from '#store';
import { openPlace } from '../../tools/cli/src/compose/registry-place.ts';
import { writeArtifact } from '../../tools/release/src/publish/place.ts';
import { faultyProxy } from '../../tools/store/src/testing/faulty-proxy.ts';

/** A registry on loopback that has one signed image set, without its images. */
export interface SetRegistry {
  /** `HOST:PORT/PATH` */
  readonly place: string;
  readonly digest: string;
  /** `METHOD PATH` of each request. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Publishes the text of an image set, signed with a private key in PEM. */
export async function setRegistry(text: string, privateKey: string): Promise<SetRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-set-registry-'));
  const store = await openStore({ folder });
  const proxy = await faultyProxy(store);
  const place = await openPlace(`${proxy.address}/ccp`, '--to');
  const artifact = setArtifact(parseImageSet(text, 'set'));
  const repository = setsRepository(place);
  await writeArtifact(place, repository, artifact);
  const { digest, manifest } = artifact;
  const signer = signerOf(privateKey, 'key', undefined);
  await signManifest(place, { repository, digest, size: manifest.length }, signer);
  return {
    place: `${proxy.address}/ccp`,
    digest,
    requests: proxy.seen,
    close: async () => {
      await proxy.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
