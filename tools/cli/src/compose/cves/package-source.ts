import { mapLimited } from '#core';
import {
  packageOfPurl,
  packagesInSpdx,
  parseVexStatement,
  type ImagePackage,
  type ImagePackages,
} from '#cves';
import {
  purlOf,
  pythonName,
  readStatement,
  type ImageSet,
  type ImageSetEntry,
  type InstalledPackages,
  type Place,
} from '#release';
import { installedPackages } from '#store';
import { openProject, stateOf } from '../plan.ts';
import { setToPublish } from '../set-to-publish.ts';
import { componentsOf } from '../statements/components.ts';

/** The packages of an image; `unchecked` says which ones are not known. */
interface ReadImage {
  readonly packages?: ImagePackages;
  readonly unchecked?: string;
}

/** An image set whose packages can be read. */
export interface PackageSource {
  readonly set: ImageSet;
  read(entry: ImageSetEntry): Promise<ReadImage>;
  /** Keeps facts about layers for the next run. */
  save(): void;
}

/** Images whose packages are read at a time. */
const READS = 4;

/**
 * The set in `file`, or that of the last build. Its images are in the store: Debian and Python
 * packages are read from their layers, Go modules and npm packages from locks that did not change.
 */
export function builtSet(
  root: string,
  series: string | undefined,
  file: string | undefined,
): PackageSource {
  const { set, paths } = setToPublish(root, series, file);
  const project = openProject(root, set.series);
  const { images } = stateOf(project);
  return {
    set,
    read: async ({ name: image, digest, fingerprint }) => {
      const isCurrent = images.get(image)?.fingerprint === fingerprint;
      const installed = await installedPackages(paths.store, digest, project.memo);
      const packages = [
        ...packagesInLayers(installed, project.series.suite),
        ...(isCurrent ? componentsOf(project, image) : []).flatMap(({ purl }) => {
          const found = packageOfPurl(purl);
          return found?.kind === 'go' || found?.kind === 'npm' ? [found] : [];
        }),
      ];
      return {
        packages: { image, digest, packages },
        ...(isCurrent
          ? {}
          : { unchecked: `Go modules and npm packages of ${image}: its inputs changed since` }),
      };
    },
    save: () => project.memo.save(),
  };
}

function packagesInLayers(
  { debian, python }: InstalledPackages,
  distro: string,
): readonly ImagePackage[] {
  return [
    ...debian.map(
      ({ name, version, architecture, source = name, sourceVersion = version }): ImagePackage => ({
        kind: 'debian',
        name,
        version,
        suite: distro,
        purl: purlOf('deb', `debian/${name}`, version, {
          ...(architecture === undefined ? {} : { arch: architecture }),
          distro,
        }),
        source: { name: source, version: sourceVersion },
      }),
    ),
    ...python.map(({ name, version }): ImagePackage => ({
      kind: 'python',
      name: pythonName(name),
      version,
      purl: purlOf('pypi', pythonName(name), version),
    })),
  ];
}

/** A published set: packages are read from its statements, which the set names by digest. */
export function publishedSet(place: Place, set: ImageSet): PackageSource {
  return {
    set,
    read: async ({ name: image, digest, statements }) => {
      if (statements === undefined)
        return { unchecked: `all packages of ${image}: the set has no package list of it` };
      const label = `${place.registry.host}/${place.prefix}/${image}@${statements.spdx}`;
      const text = await readStatement(place, image, statements.spdx);
      const packages = packagesInSpdx(text, label);
      if (statements.vex === undefined) return { packages: { image, digest, packages } };
      const vex = await readStatement(place, image, statements.vex);
      return {
        packages: {
          image,
          digest,
          packages,
          vex: parseVexStatement(vex, `${image}@${statements.vex}`),
        },
      };
    },
    save: () => undefined,
  };
}

/** Reads the packages of images of a source. */
export async function readPackages(
  source: PackageSource,
  entries: readonly ImageSetEntry[],
): Promise<{ readonly images: readonly ImagePackages[]; readonly unchecked: readonly string[] }> {
  const read = await mapLimited(entries, READS, (entry) => source.read(entry));
  source.save();
  return {
    images: read.flatMap(({ packages }) => (packages === undefined ? [] : [packages])),
    unchecked: read.flatMap(({ unchecked }) => (unchecked === undefined ? [] : [unchecked])),
  };
}
