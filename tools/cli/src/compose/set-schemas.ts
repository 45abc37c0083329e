import { CcpError, omitUndefined } from '#core';
import {
  parseSchemaChanges,
  SCHEMA_CHANGES_FILE,
  type ImageSet,
  type ImageSetEntry,
  type SchemaRevisions,
} from '#release';
import { readImageFile } from '#store';

/**
 * The set with the migrations of each image with sources, read from the images of the store in
 * `folder`; an image whose migrations are in the earlier set is not read again. Throws
 * `image-set-invalid` if the file of an image is not valid, and the store's errors.
 */
export async function withSchemas(
  set: ImageSet,
  earlier: ImageSet | undefined,
  folder: string,
): Promise<ImageSet> {
  const known = new Map(
    earlier?.images.flatMap(({ digest, schema }) =>
      schema !== undefined && isComplete(schema) ? [[digest, schema] as const] : [],
    ),
  );
  const images: ImageSetEntry[] = [];
  for (const image of set.images) {
    const hasSources = Object.keys(image.sources).length > 0;
    const schema =
      known.get(image.digest) ?? (hasSources ? await readSchema(image, folder) : undefined);
    images.push({ ...image, ...omitUndefined({ schema }) });
  }
  return { ...set, images };
}

/** False for migrations without their order, as earlier versions of ccp wrote them. */
function isComplete(schema: SchemaRevisions): boolean {
  return Object.values(schema).every(({ after }) => after !== undefined);
}

async function readSchema(
  { name, digest }: ImageSetEntry,
  folder: string,
): Promise<SchemaRevisions> {
  const file = await readImageFile({ folder, digest }, SCHEMA_CHANGES_FILE);
  if (file === undefined) return {};
  try {
    return parseSchemaChanges(file.toString());
  } catch (cause) {
    throw new CcpError({
      code: 'image-set-invalid',
      message: `/${SCHEMA_CHANGES_FILE} of ${name} is not valid: ${(cause as Error).message}`,
      hint: 'the builder image writes this file; build the image again after a fix of openstack-builder',
      cause,
    });
  }
}
