import type { JsonSchema } from '#definitions';

const sha256 = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  patternErrorMessage: 'a SHA-256 in hexadecimal',
} satisfies JsonSchema;
const size = { type: 'integer', minimum: 1, maximum: 8 * 1024 ** 3 } satisfies JsonSchema;
const stageName = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_]{0,31}$',
  patternErrorMessage: 'a stage name',
} satisfies JsonSchema;
const sourceKey = {
  type: 'string',
  pattern: '^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$',
  patternErrorMessage: 'a source key',
} satisfies JsonSchema;
const fileName = (pattern: string, noun: string): JsonSchema => ({
  type: 'string',
  maxLength: 255,
  pattern,
  patternErrorMessage: noun,
});
const pythonName = {
  type: 'string',
  pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  patternErrorMessage: 'a normalised Python project name',
} satisfies JsonSchema;
const pythonVersion = {
  type: 'string',
  pattern: '^[0-9][0-9A-Za-z.!+-]*$',
  patternErrorMessage: 'a Python project version',
} satisfies JsonSchema;
const pythonFile = fileName(
  '^[A-Za-z0-9][A-Za-z0-9._+!-]*\\.(?:whl|tar\\.gz|zip)$',
  'the file name of a wheel, .tar.gz or .zip',
);

const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  additionalProperties: false,
});

const debianPackage = object({
  name: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9+.-]+$',
    patternErrorMessage: 'a Debian package name',
  },
  version: {
    type: 'string',
    pattern: '^[0-9A-Za-z.+~:-]+$',
    patternErrorMessage: 'a Debian package version',
  },
  architecture: {
    type: 'string',
    pattern: '^[a-z0-9]+$',
    patternErrorMessage: 'an architecture name',
  },
  archive: { type: 'string', enum: ['debian', 'debian-security'] },
  pool: {
    type: 'string',
    maxLength: 512,
    pattern: '^pool(?:/(?!\\.)[A-Za-z0-9][A-Za-z0-9.+~_%:-]*)+\\.deb$',
    patternErrorMessage: 'a path of a .deb file below pool/',
  },
  size,
  sha256,
});

const pythonPackage = object({
  name: pythonName,
  version: pythonVersion,
  kind: { type: 'string', enum: ['wheel', 'sdist'] },
  file: pythonFile,
  size,
  sha256,
});

const goPath: JsonSchema = {
  type: 'string',
  maxLength: 300,
  pattern: '^[a-z0-9][a-z0-9-]*(?:\\.[a-z0-9-]+)+(?:/(?!\\.)[A-Za-z0-9._~-]+)*$',
  patternErrorMessage: 'a Go module path',
};
const goVersion: JsonSchema = {
  type: 'string',
  maxLength: 200,
  pattern: '^v[0-9]+\\.[0-9]+\\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\\+incompatible)?$',
  patternErrorMessage: 'a Go module version',
};

const npmName = '(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*';
const npmPackage = object({
  path: {
    type: 'string',
    maxLength: 500,
    pattern: `^node_modules/${npmName}(?:/node_modules/${npmName})*$`,
    patternErrorMessage: 'a path below node_modules',
  },
  name: {
    type: 'string',
    maxLength: 214,
    pattern: `^${npmName}$`,
    patternErrorMessage: 'an npm package name',
  },
  version: {
    type: 'string',
    maxLength: 100,
    pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?$',
    patternErrorMessage: 'an npm package version',
  },
  file: fileName('^[a-z0-9][A-Za-z0-9._+-]*\\.tgz$', 'the file name of an npm archive'),
  integrity: {
    type: 'string',
    pattern: '^sha512-[A-Za-z0-9+/]{86}==$',
    patternErrorMessage: 'a SHA-512 subresource integrity hash',
  },
  size,
  sha256,
});

const goFile = object({
  name: goPath,
  version: goVersion,
  kind: { type: 'string', enum: ['zip', 'mod'] },
  size,
  sha256,
  sum: {
    type: 'string',
    pattern: '^h1:[A-Za-z0-9+/]{43}=$',
    patternErrorMessage: 'a hash in the format of go.sum',
  },
});

const source = object(
  {
    repository: {
      type: 'string',
      maxLength: 1024,
      pattern: '^(?:https?|ssh|file)://[^\\s"]+$',
      patternErrorMessage: 'the URL of a git repository',
    },
    ref: {
      type: 'string',
      maxLength: 255,
      pattern: '^(?![-/.])(?!.*\\.\\.)[A-Za-z0-9._/+@#%=,-]+$',
      patternErrorMessage: 'a tag or branch name',
    },
    commit: {
      type: 'string',
      pattern: '^[0-9a-f]{40}$',
      patternErrorMessage: 'a commit of 40 hexadecimal digits',
    },
    version: {
      type: 'string',
      maxLength: 128,
      pattern: '^[A-Za-z0-9][0-9A-Za-z.!+_~-]*$',
      patternErrorMessage: 'a version',
    },
    submodules: {
      type: 'array',
      maxItems: 64,
      items: {
        type: 'string',
        maxLength: 255,
        pattern: '^(?!-)(?!(?:.*/)?\\.{1,2}(?:/|$))[A-Za-z0-9._+/-]+$',
      },
    },
    archive: object({ name: pythonName, file: pythonFile, size, sha256 }),
  },
  ['submodules', 'archive'],
);

const packages = (items: JsonSchema): JsonSchema => ({ type: 'array', maxItems: 5000, items });

/** Schema of images/<name>/lock/<series>.yaml. */
export const lockSchema: JsonSchema = object(
  {
    format: { const: 1 },
    image: { type: 'string' },
    series: { type: 'string' },
    checksum: sha256,
    request: sha256,
    debian: {
      type: 'object',
      propertyNames: stageName,
      additionalProperties: packages(debianPackage),
    },
    python: object({ runtime: packages(pythonPackage), build: packages(pythonPackage) }, [
      'runtime',
      'build',
    ]),
    go: object({
      language: {
        type: 'string',
        pattern: '^1\\.[0-9]+(?:\\.[0-9]+)?$',
        patternErrorMessage: 'a Go version',
      },
      requires: { type: 'object', propertyNames: goPath, additionalProperties: goVersion },
      files: packages(goFile),
    }),
    npm: packages(npmPackage),
    sources: { type: 'object', propertyNames: sourceKey, additionalProperties: source },
  },
  ['debian', 'python', 'go', 'npm', 'sources'],
);
