import type { TarMember, TarSource } from '#formats/tar';
import { scanLayer } from '../normalise/scan-layer.ts';
import { readContent } from './read-content.ts';

const PIECE = 1 << 20;

/** A path that differs between two layers. */
export interface MemberDifference {
  /** Relative to the root of the image. */
  readonly path: string;
  /** Values of both members by field; an absent member has no values. */
  readonly fields: readonly {
    readonly field: MemberField;
    readonly values: readonly [string, string];
  }[];
  /** The image that lacks the path. */
  readonly absent?: 'first' | 'second';
}

export type MemberField =
  'type' | 'target' | 'mode' | 'owner' | 'time' | 'size' | 'attributes' | 'content';

/**
 * Compares the members of two layers by path; each argument is the path of a layer, or undefined
 * for a layer without members. The differences are in the order of their paths. A path that occurs
 * twice in a tar counts with its last member, as engines unpack it. Throws `layer-invalid` and file
 * system errors.
 */
export async function compareLayers(
  first: string | undefined,
  second: string | undefined,
): Promise<readonly MemberDifference[]> {
  return withLayer(first, (one) => withLayer(second, (other) => differencesOf(one, other)));
}

function withLayer<T>(
  layer: string | undefined,
  read: (layer: Layer) => T | Promise<T>,
): T | Promise<T> {
  if (layer === undefined) return read({ members: new Map(), source: EMPTY });
  return scanLayer(layer, (members, source) =>
    read({ members: new Map(members.map((member) => [member.path, member])), source }),
  );
}

interface Layer {
  readonly members: ReadonlyMap<string, TarMember>;
  readonly source: TarSource;
}

const EMPTY: TarSource = { size: 0, read: () => Buffer.alloc(0) };

function differencesOf(first: Layer, second: Layer): readonly MemberDifference[] {
  const paths = [...new Set([...first.members.keys(), ...second.members.keys()])].toSorted();
  return paths.flatMap((path) => {
    const [a, b] = [first.members.get(path), second.members.get(path)];
    const name = Buffer.from(path, 'latin1').toString();
    if (a === undefined) return [{ path: name, fields: [], absent: 'first' as const }];
    if (b === undefined) return [{ path: name, fields: [], absent: 'second' as const }];
    const fields = [...fieldDifferences(a, b), ...contentDifference(first, a, second, b)];
    return fields.length === 0 ? [] : [{ path: name, fields }];
  });
}

const FIELDS: Readonly<Record<Exclude<MemberField, 'content'>, (member: TarMember) => string>> = {
  type: ({ type }) => type,
  target: ({ target }) => Buffer.from(target, 'latin1').toString(),
  mode: ({ mode }) => mode.toString(8).padStart(4, '0'),
  owner: ({ uid, gid }) => `${uid}:${gid}`,
  time: ({ mtime }) => String(mtime),
  size: ({ size }) => String(size),
  attributes: ({ xattrs }) =>
    [...xattrs]
      .map(([name, value]) => `${name}=${Buffer.from(value, 'latin1').toString('hex')}`)
      .toSorted()
      .join(' '),
};

function fieldDifferences(a: TarMember, b: TarMember): MemberDifference['fields'] {
  return (Object.keys(FIELDS) as readonly (keyof typeof FIELDS)[])
    .map((field) => ({ field, values: [FIELDS[field](a), FIELDS[field](b)] as const }))
    .filter(({ values }) => values[0] !== values[1]);
}

/** The first byte that differs, with its offset in the file. */
function contentDifference(
  first: Layer,
  a: TarMember,
  second: Layer,
  b: TarMember,
): MemberDifference['fields'] {
  const end = Math.min(a.size, b.size);
  for (let at = 0; at < end; at += PIECE) {
    const length = Math.min(PIECE, end - at);
    const one = readContent(first.source, a, at, length);
    const other = readContent(second.source, b, at, length);
    if (one.equals(other)) continue;
    const index = one.findIndex((byte, position) => byte !== other[position]);
    const text = (bytes: Buffer): string =>
      `${bytes.subarray(index, index + 16).toString('hex')} at byte ${at + index}`;
    return [{ field: 'content', values: [text(one), text(other)] }];
  }
  return [];
}
