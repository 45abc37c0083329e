import { CcpError, type Digest } from '#core';
import { changelogLines, findChangelog, type Place, type PublicKey } from '#release';
import type { Output } from '../report/output.ts';

/** The release to show. */
interface NamedRelease {
  readonly digest: Digest;
  /** The name that the user gave. */
  readonly reference: string;
  /** Absent for a set that is named by its digest. */
  readonly version: string | undefined;
}

/** Prints the signed changelog of a release. Throws `usage` and `release-no-changelog`. */
export async function showChangelog(
  output: Pick<Output, 'result'>,
  place: Place,
  { digest, reference, version }: NamedRelease,
  keys: readonly PublicKey[],
): Promise<number> {
  if (version === undefined)
    throw new CcpError({
      code: 'usage',
      message: `${reference} is not a version, and only versions have a changelog`,
      hint: 'name a version or an alias',
    });
  const found = await findChangelog(place, digest, version, keys);
  if (typeof found === 'string')
    throw new CcpError({
      code: 'release-no-changelog',
      message: `${version} has no signed changelog: ${found}`,
      hint: 'compare two releases with `ccp release diff`',
    });
  output.result(changelogLines(found).join('\n'), { version, digest, changelog: found });
  return 0;
}
