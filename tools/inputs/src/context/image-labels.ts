import type { ImageDefinition } from '#definitions';
import type { LockSummary } from '#locks';

const OCI = 'org.opencontainers.image';

/**
 * The labels of an image: its definition's, the annotation keys of the OCI image specification that its definition and lock
 * answer (title, description; of the project it is made of: source, revision, version), and `ccp.source.<key>` with
 * `REPOSITORY@COMMIT` for each source. No date and no fingerprint: equal bytes keep equal labels.
 */
export function imageLabels({ title, description, labels, python }: ImageDefinition, { sources }: LockSummary): Readonly<Record<string, string>> {
  const keys = Object.keys(sources).sort();
  const main = sources[python?.project ?? keys[0] ?? ''];
  return {
    ...labels,
    [`${OCI}.title`]: title,
    [`${OCI}.description`]: description,
    ...(main === undefined ? {} : { [`${OCI}.source`]: main.repository, [`${OCI}.revision`]: main.commit, [`${OCI}.version`]: main.version }),
    ...Object.fromEntries(keys.map((key) => [`ccp.source.${key}`, `${sources[key]!.repository}@${sources[key]!.commit}`])),
  };
}
