import { canonicalJson, CcpError, digestOf, tagPart, type Digest } from '#core';
import type { ImageIdentity, ImageStore, LayerMember, StoredImage } from '../image-store.ts';
import type { FakeRegistry } from './fake-engine.ts';

const ADDRESS = '127.0.0.1:5000';

/**
 * An in-memory store. It reads pushed images from `registry` under `incoming`: a `fakeEngine` with
 * the same registry can push to it. An image is damaged if its content in `registry` differs from
 * the sealed one. Like a real image's, the digest depends on the pushed content, the labels and the
 * base.
 */
export function fakeStore(registry: FakeRegistry = new Map()): ImageStore {
  const named = new Map<string, StoredImage>();
  const sealed = new Map<Digest, { readonly content: string; readonly identity: ImageIdentity }>();

  const incoming: ImageStore['incoming'] = ({ image, fingerprint }) =>
    `${ADDRESS}/incoming/${image}:${tagPart(fingerprint)}`;
  const reference: ImageStore['reference'] = (image, digest) => `${ADDRESS}/${image}@${digest}`;
  const known = (digest: Digest) => {
    const found = sealed.get(digest);
    if (found === undefined)
      throw new CcpError({ code: 'store-corrupt', message: `the store has no image ${digest}` });
    return found;
  };
  const whole = (image: StoredImage | undefined): StoredImage | undefined =>
    image !== undefined &&
    registry.get(reference(image.image, image.digest)) === known(image.digest).content
      ? image
      : undefined;

  return {
    address: ADDRESS,
    login: { user: 'ccp', password: 'secret of a fake' },
    incoming,
    refusal: () => undefined,
    reference,
    seal: async (identity, pushed, signal) => {
      if (signal?.aborted === true)
        throw new CcpError({
          code: 'cancelled',
          message: `sealing ${identity.image} was cancelled`,
        });
      const content = registry.get(incoming(identity));
      if (content === undefined)
        throw new CcpError({
          code: 'push-missing',
          message: `nothing was pushed for ${identity.image}`,
        });
      if (digestOf(content) !== pushed)
        throw new CcpError({
          code: 'push-replaced',
          message: `the registry received ${digestOf(content)} as incoming/${identity.image}, but the engine pushed ${pushed}`,
        });
      const digest = digestOf(
        canonicalJson({ content, labels: identity.labels, base: identity.base }),
      );
      const { image, series, platform, fingerprint, contentKey } = identity;
      sealed.set(digest, { content, identity });
      registry.set(reference(image, digest), content);
      return {
        image,
        series,
        platform,
        fingerprint,
        contentKey,
        digest,
        size: content.length,
        compressedSize: content.length,
      };
    },
    publish: async (image) => {
      known(image.digest);
      named.set(image.fingerprint, image);
    },
    alias: async ({ fingerprint, contentKey }, image) => {
      known(image.digest);
      const alias = { ...image, fingerprint, contentKey };
      named.set(fingerprint, alias);
      return alias;
    },
    adopt: async (image, manifest) => {
      const content = Buffer.from(manifest).toString();
      sealed.set(image.digest, { content, identity: { ...image, labels: {} } });
      registry.set(reference(image.image, image.digest), content);
      named.set(image.fingerprint, image);
    },
    byFingerprint: (fingerprint) => whole(named.get(fingerprint)),
    byContentKey: (contentKey) =>
      whole([...named.values()].find((image) => image.contentKey === contentKey)),
    list: () => [...named.values()].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
    inspect: async (digest) => {
      const { content, identity } = known(digest);
      return {
        manifest: { schemaVersion: 2, layers: [{ digest: digestOf(content) }] },
        config: { config: { Labels: identity.labels } },
      };
    },
    listLayer: async (layer) => {
      const found = [...sealed.values()].find(({ content }) => digestOf(content) === layer);
      if (found === undefined)
        throw new CcpError({ code: 'store-corrupt', message: `the store has no layer ${layer}` });
      const members = namesIn(found.content).map((path): LayerMember => ({
        path,
        type: 'f',
        mode: 0o644,
        elf: false,
        target: '',
      }));
      return { members };
    },
    verify: async (digest) => void known(digest),
    collect: async (keep) => {
      for (const fingerprint of [...named.keys()])
        if (!(keep as ReadonlySet<string>).has(fingerprint)) named.delete(fingerprint);
      const digests = new Set([...named.values()].map((image) => image.digest));
      let freed = 0;
      for (const [digest, { content, identity }] of [...sealed]) {
        if (digests.has(digest)) continue;
        freed += content.length;
        sealed.delete(digest);
        registry.delete(reference(identity.image, digest));
      }
      return freed;
    },
    close: async () => undefined,
  };
}

/** The files of an image whose content is JSON, as in the conformance suite. */
function namesIn(content: string): readonly string[] {
  return content.startsWith('{') ? Object.keys(JSON.parse(content) as object) : [];
}
