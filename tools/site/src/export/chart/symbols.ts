import { CcpError } from '#core';
import type { KubernetesObject } from '#ports';
import { CONTENT } from '../../gates/gate-condition.ts';
import { contentHash } from '../../model/labels.ts';

/** `Kind/namespace/name`; the name is without the hash if the name ends in one. */
export type SymbolicKey = string;

/** Objects whose names and contents by hash are replaced by tokens. */
export interface SymbolicObjects {
  readonly objects: ReadonlyMap<SymbolicKey, KubernetesObject>;
  /** Objects named by content: key -> name. */
  readonly names: ReadonlyMap<SymbolicKey, string>;
  /** Workloads with an annotation of their content: key -> hash. */
  readonly contents: ReadonlyMap<SymbolicKey, string>;
}

/**
 * Tokens contain the key in hexadecimal digits, so YAML never quotes them and they survive
 * `indent`.
 */
export const TOKEN = /CCP([NHCVIQ])x([0-9a-f]*)X/g;

/**
 * A token for Helm: `N` name, `H` content hash in a text, `C` content hash that is a whole text,
 * `V` value in a text, `I` integer, `Q` value that is a whole text.
 */
export function tokenOf(kind: 'N' | 'H' | 'C' | 'V' | 'I' | 'Q', key: string): string {
  return `CCP${kind}x${Buffer.from(key).toString('hex')}X`;
}

/** The key of a token. */
export function tokenKey(hex: string): string {
  return Buffer.from(hex, 'hex').toString();
}

const NAME_WITH_HASH = /[a-z0-9][a-z0-9.-]*-[0-9a-f]{10}(?![0-9a-z])/g;
const HASH = /[0-9a-f]{10}/g;

/** Replaces the names and contents that are hashes of other objects. */
export function symbolise(objects: readonly KubernetesObject[]): SymbolicObjects {
  refuseTokens(objects);
  const keyed = objects.map((object) => ({ object, key: keyOf(object), hash: nameHash(object) }));
  const counts = new Map<string, number>();
  for (const { key } of keyed) counts.set(key, (counts.get(key) ?? 0) + 1);
  // Groups of nodes have ConfigMaps of the same name with different hashes; they keep their names.
  const unique = keyed.map(({ object, key, hash }) =>
    hash === undefined || counts.get(key) === 1
      ? { object, key, hash }
      : { object, key: `${key}-${hash}`, hash: undefined },
  );
  const names = new Map(
    unique.flatMap(({ object, key, hash }) =>
      hash === undefined ? [] : [[key, object.metadata.name] as const],
    ),
  );
  const contents = new Map(
    unique.flatMap(({ object, key }) => {
      const content = object.metadata.annotations?.[CONTENT];
      return content === undefined ? [] : [[key, content] as const];
    }),
  );
  const byName = new Map([...names].map(([key, name]) => [name, tokenOf('N', key)]));
  const byContent = new Map([...contents].map(([key, hash]) => [hash, key]));
  const content = (hash: string, text: string): string => {
    const key = byContent.get(hash);
    return key === undefined ? hash : tokenOf(hash === text ? 'C' : 'H', key);
  };
  const replace = (text: string): string =>
    text
      .replaceAll(NAME_WITH_HASH, (name) => byName.get(name) ?? name)
      .replaceAll(HASH, (hash) => content(hash, text));
  return {
    objects: new Map(
      unique.map(({ object, key }) => [key, mapTexts(object, replace) as KubernetesObject]),
    ),
    names,
    contents,
  };
}

/** A text of a site that looks like a token would be replaced by another value. */
function refuseTokens(objects: readonly KubernetesObject[]): void {
  for (const object of objects) {
    const [token] = JSON.stringify(object).match(TOKEN) ?? [];
    if (token === undefined) continue;
    throw new CcpError({
      code: 'config-unsafe',
      message: `${object.kind} ${object.metadata.name} cannot be in a chart: it contains ${token}, which has a meaning in charts`,
      hint: 'change that text in the site or the app spec',
    });
  }
}

function keyOf(object: KubernetesObject): string {
  const { kind, metadata } = object;
  const hash = nameHash(object);
  const name = hash === undefined ? metadata.name : metadata.name.slice(0, -hash.length - 1);
  return `${kind}/${metadata.namespace ?? ''}/${name}`;
}

/** The hash at the end of an object's name, if it is that of its content. */
function nameHash(object: KubernetesObject): string | undefined {
  const { kind, metadata, ...rest } = object;
  const content = kind === 'Job' ? rest['spec'] : kind === 'ConfigMap' ? rest['data'] : undefined;
  if (typeof content !== 'object' || content === null) return undefined;
  const hash = contentHash(content);
  return metadata.name.endsWith(`-${hash}`) ? hash : undefined;
}

/** A copy of a value with every text changed. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, mapTexts(member, change)]),
  );
}
