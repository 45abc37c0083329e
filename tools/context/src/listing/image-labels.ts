import type { ImageDefinition } from '#definitions';
import type { LockSummary } from '#locks';

const OCI = 'org.opencontainers.image';

/**
 * The labels of an image: those of its definition; the OCI annotation keys title, description and,
 * from its main source, source, revision and version; and `ccp.source.<key>` with
 * `REPOSITORY@COMMIT` for each source. Dates and fingerprints are left out, so that equal content
 * has equal labels.
 */
export function imageLabels(
  { title, description, labels, python }: ImageDefinition,
  { sources }: LockSummary,
): Readonly<Record<string, string>> {
  const keys = Object.keys(sources).sort();
  const main = sources[python?.project ?? keys[0] ?? ''];
  return {
    ...labels,
    [`${OCI}.title`]: title,
    [`${OCI}.description`]: description,
    ...(main === undefined
      ? {}
      : {
          [`${OCI}.source`]: main.repository,
          [`${OCI}.revision`]: main.commit,
          [`${OCI}.version`]: main.version,
        }),
    ...Object.fromEntries(
      keys.map((key) => [
        `ccp.source.${key}`,
        `${sources[key]!.repository}@${sources[key]!.commit}`,
      ]),
    ),
  };
}
