import {
  describeInputs,
  type ImageInputs,
  type SourceOrigin,
  type SharedTemplates,
} from '#context';
import { CcpError, platform, series as parseSeries, type ImageName, type Series } from '#core';
import { readWorkspace, seriesOf } from '#definitions';
import { buildGraph, selectImages } from '#graph';
import { openMemo } from '#host';
import { checkLocks, lockFaults, refuseLocks, type LockStatus } from '#locks';
import { planBuild, type BuildPlan, type SeriesState } from '#plan';
import type { Memo } from '#ports';
import { readStoreIndex, imageChecker, type CheckDepth } from '#store';
import { openPassedTests } from '../state/passed-tests.ts';
import { statePaths } from '../state/paths.ts';
import { openRecords } from '../state/records.ts';
import { expectationsKey } from './definition-expectations.ts';
import type { Project } from './project.ts';
import { originOf, readSettings } from './settings.ts';

/** The only platform of locks. */
export const PLATFORM = platform('linux/amd64');

/** Reads the workspace. Throws the findings of its definitions and its graph. */
export function openProject(root: string, series: string | undefined, shared?: Memo): Project {
  const paths = statePaths(root);
  const memo = shared ?? openMemo(paths.memo);
  const settings = readSettings(root, memo);
  const workspace = readWorkspace(root, memo);
  const name: Series = parseSeries(
    series ?? settings.series ?? (workspace.series[0]?.name as string),
  );
  return {
    root,
    settings,
    paths,
    memo,
    workspace,
    series: seriesOf(workspace, name),
    graph: buildGraph(workspace, name),
  };
}

/** The named images and their ancestors, parents first; all images without names. */
export function selection(project: Project, names: readonly string[]): readonly ImageName[] {
  return names.length === 0 ? project.graph.order : selectImages(project.graph, names);
}

/** The status of every lock. */
export function lockStatuses(project: Project): ReadonlyMap<ImageName, LockStatus> {
  return checkLocks(project.graph, project.series, project.memo);
}

/**
 * The plan for the named images and their ancestors. Uses no engine and no network. `look` is how
 * thoroughly stored images are checked. Throws the errors of `refuseLocks` for a missing or
 * outdated lock.
 */
export function planProject(
  project: Project,
  names: readonly string[],
  look: CheckDepth = 'manifest',
): BuildPlan {
  const images = selection(project, names);
  const statuses = lockStatuses(project);
  const refused: CcpError | undefined = refuseLocks(statuses, images);
  if (refused !== undefined) throw refused;
  const origin = originOf(project.settings);
  const describe = describer(project, statuses, origin);
  return planInputs(
    project,
    new Map(images.map((image) => [image, describe(image)])),
    origin,
    look,
  );
}

/**
 * Refuses to build images with invalid app specs, since every image of a set must be deployable.
 * Throws the errors of `listAppSpecs`.
 */
export async function checkApps({ root, memo }: Project, { images }: BuildPlan): Promise<void> {
  // Loaded here, since planning does not need it.
  const { listAppSpecs } = await import('#definitions/deploy');
  const names = images.map(({ image }) => image);
  listAppSpecs(root, names, memo);
  memo.save();
}

/**
 * The plan of every image whose lock is up to date and whose inputs are readable, with the same
 * true of its ancestors. Other images are left out without an error. Stored images are checked
 * completely.
 */
export function planLocked(project: Project): BuildPlan {
  const origin = originOf(project.settings);
  return planInputs(project, describeLocked(project, origin).inputs, origin, 'all');
}

/**
 * The fingerprints of the images of a series, and the reasons of images without one. Nothing is
 * compared with the store.
 */
export function stateOf(project: Project): SeriesState {
  const origin = originOf(project.settings);
  const { inputs, unknown } = describeLocked(project, origin);
  const { images } = planBuild({
    graph: project.graph,
    series: project.series.name,
    platform: PLATFORM,
    origin,
    inputs,
    selection: new Set(inputs.keys()),
    stored: () => undefined,
    tests: () => 'nothing',
    previous: () => undefined,
  });
  project.memo.save();
  return { images: new Map(images.map((image) => [image.image, image])), unknown };
}

/** The inputs of images that can be planned; reasons, as clauses, for the others. */
function describeLocked(
  project: Project,
  origin: SourceOrigin,
): Pick<SeriesState, 'unknown'> & { readonly inputs: ReadonlyMap<ImageName, ImageInputs> } {
  const { graph } = project;
  const statuses = lockStatuses(project);
  const describe = describer(project, statuses, origin);
  const inputs = new Map<ImageName, ImageInputs>();
  const unknown = new Map<ImageName, string>();
  for (const image of graph.order) {
    const status = statuses.get(image)!;
    const parent = graph.parents(image).find((each) => unknown.has(each));
    if (status.state !== 'current') unknown.set(image, lockFaults([status]).join('; '));
    else if (parent !== undefined) unknown.set(image, `its parent ${parent} cannot be planned`);
    else {
      try {
        inputs.set(image, describe(image));
      } catch (thrown) {
        if (!(thrown instanceof CcpError)) throw thrown;
        unknown.set(image, thrown.message);
      }
    }
  }
  return { inputs, unknown };
}

/**
 * Returns a function for the inputs of images with readable locks; it throws the errors of
 * `describeInputs`.
 */
function describer(
  { graph, series, memo }: Project,
  statuses: ReadonlyMap<ImageName, LockStatus>,
  origin: SourceOrigin,
): (image: ImageName) => ImageInputs {
  const shared: SharedTemplates = new Map();
  return (image) =>
    describeInputs({
      definition: graph.images.get(image)!,
      series,
      platform: PLATFORM,
      origin,
      summary: statuses.get(image)!.summary!,
      memo,
      shared,
    });
}

function planInputs(
  project: Project,
  inputs: ReadonlyMap<ImageName, ImageInputs>,
  origin: SourceOrigin,
  look: CheckDepth,
): BuildPlan {
  const { graph, series, memo, paths } = project;
  const stored = readStoreIndex(paths.store);
  const isWhole = imageChecker(paths.store, look);
  const records = openRecords(paths, series.name);
  const passed = openPassedTests(paths, series.name);
  const plan = planBuild({
    graph,
    series: series.name,
    platform: PLATFORM,
    origin,
    inputs,
    selection: new Set(inputs.keys()),
    stored: (fingerprint) => {
      const image = stored.byFingerprint.get(fingerprint);
      return image && { digest: image.digest, isWhole: isWhole(image.digest) };
    },
    tests: (image, digest) =>
      passed.known(image, digest, expectationsKey(graph.images.get(image)!)),
    previous: (image) => records.get(image),
  });
  memo.save();
  return plan;
}
