import { isRecord, omitUndefined, type Digest, type Json } from '#core';
import { setsRepository, type Place } from '../publish/place.ts';
import { findStatement } from '../publish/statements.ts';
import { untrusted } from '../publish/verify-set.ts';
import type { PublicKey } from '../sign/keys.ts';
import { PROVENANCE } from '../statements/provenance.ts';
import type { ImageSet } from '../types.ts';

/** Defined in docs/provenance.md. */
const BUILD_TYPE = 'urn:ccp:build-type:image-set:v1';
const BUILDER = 'urn:ccp:builder:workspace';

/** The commit that a set was built from. */
export interface SetSource {
  /** 40 or 64 hexadecimal digits. */
  readonly commit: string;
  /** URL without a login; absent for a repository without a remote. */
  readonly repository?: string;
  /** Folder of the workspace in the repository; `.` is its top. */
  readonly folder: string;
  readonly origin: 'git' | 'archive';
}

/** The statement that a set was built from a commit: SLSA provenance without times. */
export function setProvenance(
  { series, platform, format }: Pick<ImageSet, 'series' | 'platform' | 'format'>,
  { commit, repository, folder, origin }: SetSource,
): { readonly predicateType: string; readonly predicate: Json } {
  const uri = repository === undefined ? `ccp:workspace@${commit}` : `git+${repository}@${commit}`;
  return {
    predicateType: PROVENANCE,
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { series, platform, folder, statements: format > 2 },
        internalParameters: { origin },
        resolvedDependencies: [{ uri, name: 'workspace', digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: BUILDER } },
    },
  };
}

/**
 * The commit in the signed provenance of a published set. Throws `untrusted` if no trusted key
 * signed one.
 */
export async function setSource(
  place: Place,
  digest: Digest,
  keys: readonly PublicKey[],
): Promise<SetSource> {
  const repository = setsRepository(place);
  const found = await findStatement(place, { repository, digest }, keys, {
    predicateType: PROVENANCE,
  });
  const name = `the provenance of ${place.registry.host}/${repository}@${digest}`;
  if (typeof found === 'string') throw untrusted(name, found);
  const source = parseSource(found.predicate);
  if (source === undefined) throw untrusted(name, 'it names no commit of a workspace');
  return source;
}

function parseSource(predicate: Json): SetSource | undefined {
  const definition = isRecord(predicate) ? predicate['buildDefinition'] : undefined;
  if (!isRecord(definition) || definition['buildType'] !== BUILD_TYPE) return undefined;
  const { externalParameters, internalParameters, resolvedDependencies } = definition;
  const folder = isRecord(externalParameters) ? externalParameters['folder'] : undefined;
  const origin = isRecord(internalParameters) ? internalParameters['origin'] : undefined;
  const [input] = (Array.isArray(resolvedDependencies) ? resolvedDependencies : []) as unknown[];
  const { uri, digest } = isRecord(input) ? input : {};
  const commit = isRecord(digest) ? digest['gitCommit'] : undefined;
  if (typeof commit !== 'string' || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
    return undefined;
  if (typeof uri !== 'string' || !uri.endsWith(`@${commit}`)) return undefined;
  if (typeof folder !== 'string' || folder.startsWith('/') || folder.split('/').includes('..'))
    return undefined;
  if (origin !== 'git' && origin !== 'archive') return undefined;
  const repository = uri.startsWith('git+') ? uri.slice(4, -commit.length - 1) : undefined;
  // Git runs programs for some URLs, such as `ext::`.
  if (repository !== undefined && !/^(?:https?|ssh|git):\/\/[^-]/.test(repository))
    return undefined;
  return { commit, folder, origin, ...omitUndefined({ repository }) };
}
