import { CcpError, type Series } from '#core';
import type { PackageEntry } from './package-lists.ts';
import type { ParentPackage } from './parent-entries.ts';

/** The parents of a stage; `below` are the packages of their layers. */
export interface Parents {
  readonly below: readonly ParentPackage[];
  readonly series: Series;
}

/**
 * The error of a stage that needs newer packages than its parents lock. It names each package and
 * the image whose lock has it; `chosen` are the entries that apt would install if it could replace
 * packages of the parents.
 */
export function parentConflict(
  title: string,
  chosen: readonly PackageEntry[],
  { below, series }: Parents,
): CcpError {
  const versions = new Map(chosen.map(({ package: { name, version } }) => [name, version]));
  const replaced = below.filter(({ name }) => versions.has(name));
  const added = chosen.filter(
    ({ package: { name } }) => !replaced.some((old) => old.name === name),
  );
  const lines = replaced.map(({ name, version, image }) => {
    const user = added.flatMap((entry) => need(entry, name))[0];
    const needed = `${name} ${versions.get(name)}`;
    return `${user ?? `${needed} is needed`}; the lock of ${image} has ${name} ${version}`;
  });
  const images = [...new Set(replaced.map(({ image }) => image))].join(' ');
  return new CcpError({
    code: 'debian-conflict',
    message: `${title} needs newer packages than its parents lock:\n- ${lines.join('\n- ')}`,
    hint: `update the locks of its parents, then run this command again: "ccp lock ${images} --update --series ${series}"`,
  });
}

/** `libc6-dev 2 needs libc6 (= 2)`, if the entry depends on a version of the package. */
function need({ package: { name, version }, stanza }: PackageEntry, on: string): readonly string[] {
  const clauses = [...stanza.matchAll(/^(?:Pre-)?Depends: (.+)$/gm)]
    .flatMap(([, list]) => list!.split(/[,|]/))
    .map((clause) => /^\s*([^\s:(]+)(?::\w+)?\s*(\((?:=|>=|>>)[^)]+\))/.exec(clause))
    .filter((match) => match?.[1] === on)
    .map((match) => match![2]!);
  const exact = clauses.find((clause) => clause.startsWith('(= ')) ?? clauses[0];
  return exact === undefined ? [] : [`${name} ${version} needs ${on} ${exact}`];
}
