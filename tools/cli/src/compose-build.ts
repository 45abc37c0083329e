import { relative } from 'node:path';
import { CcpError, errorText, messageOf, sha256, type ImageName } from '#core';
import { faultOf, openDurations, runBuild, systemClock, type BuildEvent, type BuildFault, type BuildPorts, type BuildResult } from '#build';
import type { Origin } from '#inputs';
import { DAMAGED, hasWork, type BuildPlan, type ImageDetails, type ImageRecord } from '#plan';
import type { ImageStore } from '#ports';
import { deadAddresses, openStore } from '#store';
import { installPackages, openEngines } from './compose-engines.ts';
import { definitionOf, fetchImages, lackingInputs, openImageContext, plannedLock } from './compose-inputs.ts';
import { lockStatuses, planLocked, type Project } from './compose.ts';
import { expectationsKey } from './definition-expectations.ts';
import { detailsBy } from './details.ts';
import { fetchOrFaults } from './fetch-or-faults.ts';
import { ignoredFileLines } from './ignored-files.ts';
import { earlierImageSet, imageSetOf, keepImageSet } from './image-set.ts';
import { testBuiltImage } from './image-expectations.ts';
import type { Output } from './output.ts';
import { setChange, type SetChange } from './set-change.ts';
import { tellFetch } from './reporters/fetch.ts';
import { openFailures } from './state/failures.ts';
import { openPassedTests } from './state/passed-tests.ts';
import { openRecords } from './state/records.ts';

export interface BuildRequest {
  readonly output: Output;
  readonly emit: (event: BuildEvent) => void;
  readonly signal: AbortSignal;
  /** Install what is missing without asking. */
  readonly yes: boolean;
  readonly endpoints?: readonly string[];
  readonly jobs?: number;
  readonly noCache?: boolean;
  /** Build also what the store has. */
  readonly rebuild?: boolean;
  readonly offline?: boolean;
}

export interface Built {
  readonly result: BuildResult;
  /** Folder of the run's logs, relative to the repository. */
  readonly logs: string;
  /** Path of the image set's manifest; absent where the run was cancelled or `setFault` says why, which leaves the set as it was. */
  readonly imageSet?: string;
  /** What the set names now, and what it no longer does; with `imageSet`. */
  readonly set?: SetChange;
  /** Why the set could not be written, though the run has ended. */
  readonly setFault?: BuildFault;
}

/** Builds at once on each engine where nothing else is said. */
const SLOTS = 2;

/**
 * Does what a plan says: opens store and engines, fetches what it needs, builds, records, and writes the image set, also where
 * images failed: it names every image of the series that is built as it is defined now and passed its tests. Raises the errors of
 * opening, and of fetching where nothing can be built without what is missing; what happens to single images is in the result.
 */
export async function buildPlan(project: Project, plan: BuildPlan, request: BuildRequest): Promise<Built> {
  const { settings, paths, root } = project;
  const { output, signal } = request;
  for (const line of ignoredFileLines(project, plan)) output.warn(line);
  const damaged = plan.images.filter(({ reasons }) => reasons.includes(DAMAGED)).map(({ image }) => image);
  if (damaged.length > 0) output.warn(`to be built, since ${DAMAGED}: ${damaged.join(', ')}`);
  const missing = plan.images.filter(({ action }) => action === 'build').map(({ image }) => image);
  const store = await openStore({ folder: paths.store });
  try {
    // Before the inputs, so that a mistyped engine does not cost a long fetch.
    const engines = !plan.images.some(hasWork) ? [] : (await openEngines({ settings, output, yes: request.yes, ...endpointsOf(request) })).engines;
    // What killed runs left under addresses of this store: nobody else uses them while it is held.
    const left = [store.address, ...(await deadAddresses(paths.store))].map((address) => `${address}/`);
    await Promise.allSettled(engines.map((engine) => engine.untagAll(left)));
    const { faults, raised } = await fetchOrFaults(missing, project.graph.ancestors, {
      fetch: () =>
        fetchImages(project, missing, {
          origin: plan.origin,
          offline: request.offline === true,
          installPackages: (names) => installPackages(names, output, request.yes),
          events: tellFetch(output),
          signal,
        }),
      lacking: (image) => lackingInputs(project, image, plan.origin),
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
    const options = { logs, ...(jobs === undefined ? {} : { jobs }), noCache: request.noCache === true, rebuild: request.rebuild === true };
    const result = await runBuild(plan, ports, options, request.emit, signal);
    // The next run is only less well explained without them.
    try {
      keepRecords(project, plan, store);
      keepFailures(project, result);
    } catch (thrown) {
      output.warn(`what changes next can be told less well: ${messageOf(thrown)}`);
    }
    const told = { result, logs: relative(root, logs) };
    // What was built is told whatever becomes of the set.
    const set = result.cancelled ? {} : await writeImageSet(project, store, result).catch((thrown: unknown) => ({ setFault: faultOf(thrown) }));
    return { ...told, ...set };
  } finally {
    await store.close();
  }
}

function endpointsOf({ endpoints }: BuildRequest): { readonly endpoints?: readonly string[] } {
  return endpoints === undefined ? {} : { endpoints };
}

async function writeImageSet(project: Project, store: ImageStore, { outcomes }: BuildResult): Promise<Required<Pick<Built, 'imageSet' | 'set'>>> {
  const plan = await planLocked(project);
  const before = earlierImageSet(project);
  const set = imageSetOf(project, plan, store);
  const path = keepImageSet(project, set);
  return { imageSet: relative(project.root, path), set: setChange({ before, set, plan, outcomes, graph: project.graph, locks: lockStatuses(project) }) };
}

function keepRecords(project: Project, plan: BuildPlan, store: ImageStore): void {
  const records = openRecords(project.paths, plan.series);
  for (const { image, record, fingerprint, action } of plan.images) {
    if (action === 'reuse' || store.byFingerprint(fingerprint) === undefined) continue;
    const details = detailsAsBuilt(project, record, plan.origin);
    records.put(image, { record, ...(details === undefined ? {} : { details }) });
  }
}

function keepFailures({ paths, root }: Project, { series, outcomes }: BuildResult): void {
  const failures = openFailures(paths, series);
  for (const outcome of outcomes) {
    const { image, fingerprint } = outcome;
    if ('stored' in outcome) failures.remove(image);
    if (outcome.type === 'failed')
      failures.put(image, { fingerprint, message: outcome.fault.message, ...(outcome.log === undefined ? {} : { log: relative(root, outcome.log) }) });
  }
}

/** Undefined where the image's files are no longer those it was built from: its record then names inputs only by their hashes. */
function detailsAsBuilt(project: Project, record: ImageRecord, origin: Origin): ImageDetails | undefined {
  try {
    const details = detailsBy(project, record.image, plannedLock(project, record, origin));
    return sha256(details.dockerfile ?? '') === record.dockerfile ? details : undefined;
  } catch (thrown) {
    if (thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}
