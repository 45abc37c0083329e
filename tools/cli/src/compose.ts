import { CcpError, platform, series as parseSeries, type ImageName, type Series } from '#core';
import { readWorkspace, seriesOf, type SeriesDefinition, type Workspace } from '#definitions';
import { buildGraph, selectImages, type ImageGraph } from '#graph';
import { describeInputs, openMemo, type ImageInputs, type Origin, type SharedTemplates } from '#inputs';
import { checkLocks, refuseLocks, type LockStatus } from '#locks';
import { planBuild, type BuildPlan } from '#plan';
import type { Memo } from '#ports';
import { readStoreIndex, wholeImages, type Look } from '#store';
import { expectationsKey } from './definition-expectations.ts';
import { chooseOrigin } from './origin.ts';
import { readSettings, type Settings } from './settings.ts';
import { statePaths, type StatePaths } from './state/paths.ts';
import { openPassedTests } from './state/passed-tests.ts';
import { openRecords } from './state/records.ts';

/** The one platform that locks hold. */
const PLATFORM = platform('linux/amd64');

/** A repository as one run of the tool sees it, for one series. */
export interface Project {
  readonly root: string;
  readonly settings: Settings;
  readonly paths: StatePaths;
  readonly memo: Memo;
  readonly workspace: Workspace;
  readonly series: SeriesDefinition;
  readonly graph: ImageGraph;
}

/** Reads the repository. Raises the findings of its definitions and its graph. */
export function openProject(root: string, series: string | undefined): Project {
  const paths = statePaths(root);
  const memo = openMemo(paths.memo);
  const settings = readSettings(root, memo);
  const workspace = readWorkspace(root, memo);
  const name: Series = parseSeries(series ?? settings.series ?? (workspace.series[0]?.name as string));
  return { root, settings, paths, memo, workspace, series: seriesOf(workspace, name), graph: buildGraph(workspace, name) };
}

/** The named images and their ancestors, parents first; all images where none is named. */
export function selection(project: Project, names: readonly string[]): readonly ImageName[] {
  return names.length === 0 ? project.graph.order : selectImages(project.graph, names);
}

/** What the state of all locks is. */
export function lockStatuses(project: Project): ReadonlyMap<ImageName, LockStatus> {
  return checkLocks(project.graph, project.series, project.memo);
}

/**
 * The plan for the named images and their ancestors. Touches no network and no engine but once: where neither a setting nor an
 * earlier run says how sources are taken, git hosts are asked. `look` says how much of what the store has is looked at. Raises what
 * `refuseLocks` raises for a missing or stale lock.
 */
export async function planProject(project: Project, names: readonly string[], say: (text: string) => void, look: Look = 'manifest'): Promise<BuildPlan> {
  const images = selection(project, names);
  const statuses = lockStatuses(project);
  const refused: CcpError | undefined = refuseLocks(statuses, images);
  if (refused !== undefined) throw refused;
  const origin = await chooseOrigin(project, say);
  const describe = describer(project, statuses, origin);
  return planInputs(project, new Map(images.map((image) => [image, describe(image)])), origin, look);
}

/** Refuses to build images whose app specs are wrong, which no plan reads: what the image set names must be deployable. Raises what `readAppSpecs` raises. */
export async function checkApps({ root, memo }: Project, { images }: BuildPlan): Promise<void> {
  // Loaded here, since a plan needs none of it.
  const { checkAppSpecs } = await import('#definitions/deploy');
  const names = images.map(({ image }) => image);
  checkAppSpecs(root, names, memo);
  memo.save();
}

/**
 * The plan of every image whose lock and whose ancestors' locks are current, and whose inputs and whose ancestors' inputs can be read as
 * they are now; raises nothing for the others. All that the store has of them is looked at.
 */
export async function planLocked(project: Project): Promise<BuildPlan> {
  const { graph } = project;
  const statuses = lockStatuses(project);
  const origin = await chooseOrigin(project, () => undefined);
  const inputs = new Map<ImageName, ImageInputs>();
  const describe = describer(project, statuses, origin);
  for (const image of graph.order.filter((name) => statuses.get(name)?.state === 'current')) {
    if (!graph.parents(image).every((parent) => inputs.has(parent))) continue;
    try {
      inputs.set(image, describe(image));
    } catch (thrown) {
      if (!(thrown instanceof CcpError)) throw thrown;
    }
  }
  return planInputs(project, inputs, origin, 'all');
}

/** Gives the inputs of images whose locks are readable; raises what `describeInputs` raises. */
function describer({ graph, series, memo }: Project, statuses: ReadonlyMap<ImageName, LockStatus>, origin: Origin): (image: ImageName) => ImageInputs {
  const shared: SharedTemplates = new Map();
  return (image) =>
    describeInputs({ definition: graph.images.get(image)!, series, platform: PLATFORM, origin, summary: statuses.get(image)!.summary!, memo, shared });
}

function planInputs(project: Project, inputs: ReadonlyMap<ImageName, ImageInputs>, origin: Origin, look: Look): BuildPlan {
  const { graph, series, memo, paths } = project;
  const stored = readStoreIndex(paths.store);
  const isWhole = wholeImages(paths.store, look);
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
    tests: (image, digest) => passed.known(image, digest, expectationsKey(graph.images.get(image)!)),
    previous: (image) => records.get(image),
  });
  memo.save();
  return plan;
}
