import {
  canonicalJson,
  CcpError,
  imageName,
  isDigest,
  isImageName,
  isRecord,
  mapRecord,
  omitUndefined,
  parseDocument,
  parseSha256,
  platform,
  series,
  tagPart,
  type Fingerprint,
  type ImageName,
  type Json,
  type Series,
  type Sha256,
} from '#core';
import { parseSetAppSpec } from './app-spec-artifact.ts';
import { parseRevisions, type SchemaRevisions } from './schema-changes.ts';
import { parseSetStatements } from './statements/set-statements.ts';
import type { ImageSet, ImageSetEntry } from './types.ts';

/**
 * The text of an image set file: canonical JSON with images sorted by name, and a final line feed.
 */
export function imageSetText(set: ImageSet): string {
  const images = [...set.images].sort((a, b) => (a.name < b.name ? -1 : 1));
  return `${canonicalJson({ ...set, images } as unknown as Json)}\n`;
}

/**
 * Parses the untrusted text of an image set file. Throws `image-set-format` for another format
 * number and `image-set-invalid` for any other fault; both errors name `file`.
 */
export function parseImageSet(text: string, file: string): ImageSet {
  const refuse = (what: string, cause?: unknown): CcpError =>
    new CcpError({
      code: 'image-set-invalid',
      message: `${file} is not an image set: ${what}`,
      hint: 'write a new image set: ccp build',
      ...omitUndefined({ cause }),
    });
  const otherFormat = (what: string): CcpError =>
    new CcpError({
      code: 'image-set-format',
      message: `${file} ${what}`,
      hint: 'use the ccp version that wrote the file, or a newer version',
    });
  const set = parseDocument(text, { invalid: refuse, otherFormat, formats: [1, 2, 3] });
  const format = set['format'] as ImageSet['format'];
  if (!Array.isArray(set['images'])) throw refuse('"images" is not a list');
  try {
    const name = series(textMember(set, 'series'));
    return {
      format,
      series: name,
      platform: platform(textMember(set, 'platform')),
      ...overridesOf(set['overrides']),
      images: distinct(
        set['images'].map((value, index) => ({
          ...entry(value, index, name),
          ...(format === 1 ? {} : newParts(value as Members, `images[${index}]`)),
          ...(format === 3 ? statementsIn(value as Members, `images[${index}]`) : {}),
        })),
      ),
    };
  } catch (cause) {
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

type Members = Readonly<Record<string, unknown>>;

function entry(value: unknown, index: number, of: Series): ImageSetEntry {
  const members = record(value);
  if (members === undefined) throw new TypeError(`images[${index}] is not an object`);
  const digest = textMember(members, 'digest');
  if (!isDigest(digest)) throw new TypeError(`images[${index}].digest is not a sha256 digest`);
  const shipped = members['shipped'];
  if (typeof shipped !== 'boolean')
    throw new TypeError(`images[${index}].shipped is not a boolean`);
  const unlocked = members['unlocked'];
  if (unlocked !== undefined && unlocked !== true)
    throw new TypeError(`images[${index}].unlocked is not true`);
  const packages = record(members['packages']) ?? {};
  const where = `images[${index}]`;
  const fingerprint = parseSha256(textMember(members, 'fingerprint')) as string as Fingerprint;
  const version = `${of}-${tagPart(fingerprint)}`;
  if (textMember(members, 'version') !== version)
    throw new TypeError(`${where}.version is not ${version}`);
  return {
    name: imageName(textMember(members, 'name')),
    version,
    fingerprint,
    digest,
    size: bytes(members, 'size'),
    compressedSize: bytes(members, 'compressedSize'),
    shipped,
    ...omitUndefined({ unlocked }),
    sources: mapMembers(members['sources'], `${where}.sources`, sourceOf),
    packages: {
      debian: mapMembers(packages['debian'], `${where}.packages.debian`, hashOf),
      python: mapMembers(packages['python'], `${where}.packages.python`, hashOf),
      ...(packages['npm'] === undefined
        ? {}
        : { npm: mapMembers(packages['npm'], `${where}.packages.npm`, hashOf) }),
      ...(packages['go'] === undefined
        ? {}
        : { go: mapMembers(packages['go'], `${where}.packages.go`, hashOf) }),
    },
    parents: mapMembers(members['parents'], `${where}.parents`, parentOf),
  };
}

/** The members that format 2 added to an entry. */
function newParts(
  members: Members,
  where: string,
): Pick<ImageSetEntry, 'contentKey' | 'tests' | 'app' | 'schema'> {
  const { app, schema, tests } = members;
  return {
    contentKey: textMember(members, 'contentKey'),
    ...(tests === undefined ? {} : { tests: textMember(members, 'tests') }),
    ...(app === undefined
      ? {}
      : { app: parseSetAppSpec(textMember(members, 'name'), app, `${where}.app`) }),
    ...(schema === undefined ? {} : { schema: schemaOf(schema, `${where}.schema`) }),
  };
}

function schemaOf(value: unknown, where: string): SchemaRevisions {
  try {
    return parseRevisions(value);
  } catch (thrown) {
    throw new TypeError(`${where}: ${(thrown as TypeError).message}`, { cause: thrown });
  }
}

/** The members that format 3 added to an entry. */
function statementsIn({ statements }: Members, where: string): Pick<ImageSetEntry, 'statements'> {
  return statements === undefined
    ? {}
    : { statements: parseSetStatements(statements, `${where}.statements`) };
}

function overridesOf(value: unknown): Pick<ImageSet, 'overrides'> {
  if (value === undefined) return {};
  if (!Array.isArray(value)) throw new TypeError('"overrides" is not a list');
  return {
    overrides: value.map((item, index) => {
      const members = record(item);
      if (members === undefined) throw new TypeError(`overrides[${index}] is not an object`);
      return {
        requirement: textMember(members, 'requirement'),
        reason: textMember(members, 'reason'),
        expires: textMember(members, 'expires'),
      };
    }),
  };
}

/** Applies `read` to every member of `value`. Throws if `value` is not an object. */
function mapMembers<T>(
  value: unknown,
  where: string,
  read: (member: unknown, where: string) => T,
): Readonly<Record<string, T>> {
  const members = record(value);
  if (members === undefined) throw new TypeError(`${where} is not an object`);
  return mapRecord(members, (member, key) => read(member, `${where}.${key}`));
}

function sourceOf(value: unknown, where: string): ImageSetEntry['sources'][string] {
  const members = record(value);
  if (members === undefined) throw new TypeError(`${where} is not an object`);
  const commit = textMember(members, 'commit');
  if (!/^[0-9a-f]{40}$/.test(commit)) throw new TypeError(`${where}.commit is not a commit`);
  return {
    repository: textMember(members, 'repository'),
    commit,
    version: textMember(members, 'version'),
  };
}

function hashOf(value: unknown, where: string): Sha256 {
  if (typeof value !== 'string') throw new TypeError(`${where} is not a string`);
  return parseSha256(value);
}

function parentOf(value: unknown, where: string): ImageName {
  if (typeof value !== 'string' || !isImageName(value))
    throw new TypeError(`${where} is not an image name`);
  return value;
}

/** Throws if two images have the same name. */
function distinct(images: readonly ImageSetEntry[]): readonly ImageSetEntry[] {
  const names = new Set<string>();
  for (const { name } of images) {
    if (names.has(name)) throw new TypeError(`image ${name} is listed twice`);
    names.add(name);
  }
  return images;
}

function record(value: unknown): Members | undefined {
  return isRecord(value) ? value : undefined;
}

function textMember(members: Members, key: string): string {
  const value = members[key];
  if (typeof value !== 'string' || value === '') throw new TypeError(`"${key}" is not a string`);
  return value;
}

function bytes(members: Members, key: string): number {
  const value = members[key];
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new TypeError(`"${key}" is not a byte count`);
  return value as number;
}
