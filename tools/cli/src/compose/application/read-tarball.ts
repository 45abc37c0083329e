import { basename } from 'node:path';
import type { UploadedApplication } from '#application';
import { CcpError, fileFault, isRecord, omitUndefined } from '#core';
import { readGiven } from '#host';
import { checkApplication, type CheckedApplication } from '#site';
import { throwApplicationErrors } from '../starlingx/application-errors.ts';
import { SOURCE_FILES } from '../starlingx/application-sources.ts';

/** Maximum size of a tarball that is read into memory. */
const MAX_TARBALL = 512 << 20;

/** The bytes of a tarball. Throws the errors of `fileFault`. */
export function readTarballFile(file: string): Buffer {
  try {
    return readGiven(file, MAX_TARBALL);
  } catch (thrown) {
    throw fileFault(thrown, 'read', file, 'write one with `ccp export tarball SITE`');
  }
}

/**
 * A tarball for the verbs of `#application`. Throws the errors of `fileFault`, and
 * `application-invalid` if it has no name or version.
 */
export async function readTarball(file: string): Promise<UploadedApplication> {
  const checked = await checkApplication(basename(file), readTarballFile(file));
  const { name, version, findings, metadata = {} } = checked;
  if (name === undefined || version === undefined || !NAME.test(name) || !VERSION.test(version)) {
    throwApplicationErrors(file, findings);
    throw new CcpError({
      code: 'application-invalid',
      message: `the application in ${file} has an unusable name or version`,
      hint: 'use lower-case letters, digits and dashes in its name, and digits, dots and dashes in its version',
    });
  }
  const { upgrades, supported_k8s_version: kubernetes } = metadata;
  const patterns = isRecord(upgrades) ? upgrades['from_versions'] : undefined;
  return {
    name,
    version,
    sources: () => sourcesIn(file, checked),
    upgrades: {
      ...(Array.isArray(patterns) ? { fromVersions: patterns.map(String) } : {}),
      staysFailed: isRecord(upgrades) && upgrades['update_failure_no_rollback'] === true,
    },
    kubernetes: isRecord(kubernetes)
      ? omitUndefined({
          minimum: textOf(kubernetes['minimum']),
          maximum: textOf(kubernetes['maximum']),
        })
      : {},
    keepsOverrides: metadata['maintain_user_overrides'] === true,
  };
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const VERSION = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function sourcesIn(
  file: string,
  { findings, content }: CheckedApplication,
): Readonly<Record<string, string>> {
  throwApplicationErrors(file, findings);
  return Object.fromEntries(
    SOURCE_FILES.flatMap((path) => {
      const data = content?.files.get(path);
      return data === undefined ? [] : [[path, Buffer.from(data).toString('utf8')]];
    }),
  );
}
