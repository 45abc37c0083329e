import { SOURCE_DATE_EPOCH, type Json } from '#core';
import type { ImageIdentity } from '#ports';
import type { StoredLayer } from '../layout/known-layers.ts';
import { asList, asRecord, asText, asTexts, unlessEmpty } from '../layout/oci.ts';

const EPOCH_TEXT = new Date(SOURCE_DATE_EPOCH * 1000).toISOString().replace('.000', '');
const STANDARD_LABEL = 'org.opencontainers.image.';

/** Container settings that are kept, each with the function that checks its type. */
const KEPT = {
  User: asText,
  ExposedPorts: asKeys,
  Env: asTextList,
  Entrypoint: asTextList,
  Cmd: asTextList,
  Volumes: asKeys,
  WorkingDir: asText,
  StopSignal: asText,
} satisfies Readonly<Record<string, (value: unknown, name: string) => Json>>;

/**
 * The configuration of a stored image: settings from the Dockerfile, one history entry per layer,
 * all times the epoch. The identity's labels override the Dockerfile's. Standard labels inherited
 * unchanged from `base` describe the base and are omitted. Throws `TypeError` if the untrusted
 * configuration is invalid.
 */
export function composeConfig(
  pushed: unknown,
  base: unknown,
  identity: ImageIdentity,
  layers: readonly StoredLayer[],
): { readonly [key: string]: Json | undefined } {
  const settings = asRecord(asRecord(pushed, 'the configuration')['config'] ?? {}, 'config');
  const kept = Object.entries(KEPT).map(([key, check]) => {
    const value = unlessEmpty(settings[key]);
    return [key, value === undefined ? undefined : check(value, key)] as const;
  });
  const inherited =
    base === undefined
      ? {}
      : asTexts(asRecord(asRecord(base, 'the base')['config'] ?? {}, 'config')['Labels'], 'label');
  const own = Object.entries(asTexts(settings['Labels'], 'label')).filter(
    ([key, value]) => !(key.startsWith(STANDARD_LABEL) && inherited[key] === value),
  );
  const baseHistory =
    base === undefined ? [] : asList(asRecord(base, 'the base')['history'], 'history');
  const [os, architecture] = identity.platform.split('/');
  return {
    architecture,
    os,
    created: EPOCH_TEXT,
    config: {
      ...Object.fromEntries(kept),
      Labels: unlessEmpty({ ...Object.fromEntries(own), ...identity.labels }),
    },
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.diffId) },
    history: layers.map(
      (_, index) =>
        (baseHistory[index] as Json | undefined) ?? {
          created: EPOCH_TEXT,
          created_by: `ccp build ${identity.image}`,
        },
    ),
  };
}

function asTextList(value: unknown, name: string): readonly string[] {
  return asList(value, name).map((item) => asText(item, name));
}

function asKeys(value: unknown, name: string): Json {
  return Object.fromEntries(Object.keys(asRecord(value, name)).map((key) => [key, {}]));
}
