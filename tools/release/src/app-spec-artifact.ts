import { isRecord } from '#core';
import { artifactOf, blobOf, type Artifact } from './oci.ts';
import type { SetAppSpec } from './types.ts';

const APP_SPEC_TYPE = 'application/vnd.ccp.app-spec.v1';
const FILE_TYPE = 'application/vnd.ccp.app-spec.file.v1';

/** `app.yaml`, or a path below `config` without `.` and `..`. */
const PATH = /^(?:app\.yaml|config(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)+)$/;

/**
 * The OCI artifact of an app spec: one layer for each file, named by its title, as `oras` writes
 * them.
 */
export function appSpecArtifact(
  name: string,
  { schema, files }: Pick<SetAppSpec, 'schema' | 'files'>,
): Artifact {
  const layers = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => blobOf(text, FILE_TYPE, { 'org.opencontainers.image.title': path }));
  return artifactOf({
    artifactType: APP_SPEC_TYPE,
    layers,
    annotations: { 'ccp.app': name, 'ccp.app-spec.schema': schema },
  });
}

/** An app spec for an image set, with the digest of its artifact. */
export function setAppSpec(
  name: string,
  { schema, files }: Pick<SetAppSpec, 'schema' | 'files'>,
): SetAppSpec {
  return { digest: appSpecArtifact(name, { schema, files }).digest, schema, files };
}

/** Reads the app spec of an image set's entry. Throws `TypeError` if it is invalid. */
export function parseSetAppSpec(name: string, value: unknown, where: string): SetAppSpec {
  if (!isRecord(value)) throw new TypeError(`${where} is not an object`);
  const { digest, schema, files } = value;
  if (typeof schema !== 'string' || !/^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(schema))
    throw new TypeError(`${where}.schema is not a version`);
  if (!isRecord(files)) throw new TypeError(`${where}.files is not an object`);
  const texts: Record<string, string> = {};
  for (const [path, text] of Object.entries(files)) {
    if (!PATH.test(path))
      throw new TypeError(`${where}.files has the path ${JSON.stringify(path)}`);
    if (typeof text !== 'string') throw new TypeError(`${where}.files.${path} is not a string`);
    texts[path] = text;
  }
  if (texts['app.yaml'] === undefined) throw new TypeError(`${where}.files has no app.yaml`);
  const spec = setAppSpec(name, { schema, files: texts });
  if (digest !== (spec.digest as string))
    throw new TypeError(`${where}.digest does not match its files`);
  return spec;
}
