import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type BuildEvent,
  type BuildFault,
  type BuildPorts,
  type BuildResult,
  faultOf,
  openDurations,
  runBuild,
} from '#build';
import type { Origin } from '#context';
import { CcpError, errorText, messageOf, omitUndefined, sha256, type ImageName } from '#core';
import {
  hasReason,
  hasWork,
  reasonText,
  type BuildPlan,
  type ImageDetails,
  type ImageRecord,
} from '#plan';
import { type ImageStore, systemClock } from '#ports';
import { unservedAddresses, openStore } from '#store';
import { reportFetch } from '../report/fetch.ts';
import type { Output } from '../report/output.ts';
import { setChange, type SetChange } from '../report/set-change.ts';
import { openFailures } from '../state/failures.ts';
import { openPassedTests } from '../state/passed-tests.ts';
import { openRecords } from '../state/records.ts';
import { expectationsKey } from './definition-expectations.ts';
import { detailsFromLock } from './details.ts';
import { installPackages, openEngines } from './engines.ts';
import { fetchOrFaults } from './fetch-or-faults.ts';
import { ignoredFileLines } from './ignored-files.ts';
import { testBuiltImage } from './image-expectations.ts';
import { earlierImageSet, imageSetOf, keepImageSet } from './image-set.ts';
import {
  definitionOf,
  fetchImages,
  missingInputs,
  openImageContext,
  plannedLock,
} from './inputs.ts';
import { lockStatuses, planLocked } from './plan.ts';
import type { Project } from './project.ts';

export interface BuildRequest {
  readonly output: Output;
  readonly emit: (event: BuildEvent) => void;
  readonly signal: AbortSignal;
  /** Install missing packages without asking. */
  readonly yes: boolean;
  readonly endpoints?: readonly string[];
  readonly jobs?: number;
  readonly noCache?: boolean;
  /** Also build images that are in the store. */
  readonly rebuild?: boolean;
  readonly offline?: boolean;
}

export interface Built {
  readonly result: BuildResult;
  /** Folder of the run's logs, relative to the repository. */
  readonly logs: string;
  /**
   * Path of the image set's manifest; absent, with the old set kept, after a cancelled run or with
   * `setFault`.
   */
  readonly imageSet?: string;
  /** Images added to and missing from the set; with `imageSet`. */
  readonly set?: SetChange;
  /** Why the set could not be written after the run. */
  readonly setFault?: BuildFault;
}

/** Default number of parallel builds on each engine. */
const SLOTS = 2;

/**
 * Executes a plan: opens store and engines, fetches inputs, builds, records, and writes the image
 * set, even if images failed. The set has every image of the series whose current definition is built
 * and tested. Throws the errors of opening, and of fetching if no image can be built without the
 * missing inputs; failures of single images are in the result.
 */
export async function buildPlan(
  project: Project,
  plan: BuildPlan,
  request: BuildRequest,
): Promise<Built> {
  const { settings, paths, root } = project;
  const { output, signal } = request;
  for (const line of ignoredFileLines(project, plan)) output.warn(line);
  const damaged = plan.images
    .filter(({ reasons }) => hasReason(reasons, 'damaged'))
    .map(({ image }) => image);
  if (damaged.length > 0)
    output.warn(`rebuilding, since ${reasonText({ kind: 'damaged' })}: ${damaged.join(', ')}`);
  const missing = plan.images.filter(({ action }) => action === 'build').map(({ image }) => image);
  const store = await openStore({ folder: paths.store });
  try {
    // Before the inputs: a mistyped engine must fail before a long fetch.
    const engines = !plan.images.some(hasWork)
      ? []
      : (await openEngines({ settings, output, yes: request.yes, ...endpointsOf(request) }))
          .engines;
    // Leftovers of killed runs under addresses of this store, which no other run uses while it is locked.
    const left = [store.address, ...(await unservedAddresses(paths.store))].map(
      (address) => `${address}/`,
    );
    await Promise.allSettled(engines.map((engine) => engine.untagAll(left)));
    const { faults, raised } = await fetchOrFaults(missing, project.graph.ancestors, {
      fetch: () =>
        fetchImages(project, missing, {
          origin: plan.origin,
          offline: request.offline === true,
          installPackages: (names) => installPackages(names, output, request.yes),
          events: reportFetch(output),
          signal,
        }),
      lacking: (image) => missingInputs(project, image, plan.origin),
    });
    if (raised !== undefined) output.warn(errorText(raised).trimEnd());
    const jobs = request.jobs ?? settings.jobs;
    const logs = paths.logs(new Date().toISOString().replaceAll(/[-:]|\.\d+/g, ''));
    const passed = openPassedTests(paths, plan.series);
    const keyOf = (image: ImageName): string => expectationsKey(definitionOf(project, image));
    const ports: BuildPorts = {
      engines: engines.map((engine) => ({ engine, runner: engine, slots: jobs ?? SLOTS })),
      store,
      openContext: async ({ image, record }) => {
        const fault = faults.get(image);
        if (fault !== undefined) throw fault;
        return openImageContext(project, record, plan.origin);
      },
      testImage: async (subject, cancel) => {
        const report = await testBuiltImage(project, plan.origin, store, subject, cancel);
        const {
          planned: { image },
          stored,
        } = subject;
        if (report.findings.length === 0) passed.add(image, stored.digest, keyOf(image));
        else passed.remove(image, stored.digest);
        return report;
      },
      hasPassed: ({ image }, { digest }) => passed.known(image, digest, keyOf(image)) === 'passed',
      durations: await openDurations(paths.durations, `${plan.series} ${plan.platform}`),
      clock: systemClock,
    };
    const options = {
      logs,
      ...omitUndefined({ jobs }),
      noCache: request.noCache === true,
      rebuild: request.rebuild === true,
    };
    const result = await runBuild(plan, ports, options, request.emit, signal);
    const named = plan.images.filter(
      ({ action, fingerprint }) =>
        action === 'build' && store.byFingerprint(fingerprint) !== undefined,
    );
    keepOrWarn(output, () => {
      keepRecords(project, { ...plan, images: named });
      keepFailures(project, result);
      passed.compact(store.list());
    });
    const summary = { result, logs: relative(root, logs) };
    // A failure to write the set must not hide the build results.
    const set = result.cancelled
      ? {}
      : await writeImageSet(project, store, result, output).catch((thrown: unknown) => ({
          setFault: faultOf(thrown),
        }));
    return { ...summary, ...set };
  } finally {
    await store.close();
  }
}

function endpointsOf({ endpoints }: BuildRequest): { readonly endpoints?: readonly string[] } {
  return endpoints === undefined ? {} : { endpoints };
}

async function writeImageSet(
  project: Project,
  store: ImageStore,
  { outcomes }: BuildResult,
  output: Output,
): Promise<Required<Pick<Built, 'imageSet' | 'set'>>> {
  const plan = await planLocked(project);
  const before = earlierImageSet(project);
  const set = imageSetOf(project, plan, store);
  const path = keepImageSet(project, set);
  // Plans compare with the image in the set. It can be older than the last built one: its files were
  // changed, built and changed back.
  const names = new Set(set.images.map(({ name }) => name));
  const images = plan.images.filter(({ image }) => names.has(image));
  keepOrWarn(output, () => keepRecords(project, { ...plan, images }));
  return {
    imageSet: relative(project.root, path),
    set: setChange({
      before,
      set,
      plan,
      outcomes,
      graph: project.graph,
      locks: lockStatuses(project),
    }),
  };
}

/** Without the records, the next plan only explains changes in less detail. */
function keepOrWarn(output: Output, keep: () => void): void {
  try {
    keep();
  } catch (thrown) {
    output.warn(`later plans will explain changes in less detail: ${messageOf(thrown)}`);
  }
}

/** Keeps the inputs of these images, for the reasons in later plans. */
function keepRecords(project: Project, { series, images, origin }: BuildPlan): void {
  const records = openRecords(project.paths, series);
  for (const { image, record } of images) {
    if (isDeepStrictEqual(records.get(image)?.record, record)) continue;
    const details = detailsAsBuilt(project, record, origin);
    records.put(image, { record, ...omitUndefined({ details }) });
  }
}

function keepFailures({ paths, root }: Project, { series, outcomes }: BuildResult): void {
  const failures = openFailures(paths, series);
  for (const outcome of outcomes) {
    const { image, fingerprint } = outcome;
    if ('stored' in outcome) failures.remove(image);
    if (outcome.type === 'failed')
      failures.put(image, {
        fingerprint,
        message: outcome.fault.message,
        ...(outcome.log === undefined ? {} : { log: relative(root, outcome.log) }),
      });
  }
}

/**
 * Undefined if the image's files changed after its build: its record then has only the hashes of
 * inputs.
 */
function detailsAsBuilt(
  project: Project,
  record: ImageRecord,
  origin: Origin,
): ImageDetails | undefined {
  try {
    const details = detailsFromLock(project, record.image, plannedLock(project, record, origin));
    return sha256(details.dockerfile ?? '') === record.dockerfile ? details : undefined;
  } catch (thrown) {
    if (thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}
