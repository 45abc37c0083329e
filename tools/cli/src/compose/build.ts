import { relative } from 'node:path';
import { type BuildEvent, type BuildPorts, type BuildResult, runBuild } from '#build';
import { errorText, omitUndefined, type ImageName } from '#core';
import { hasReason, hasWork, reasonText, type BuildPlan } from '#plan';
import { type ImageStore, systemClock } from '#ports';
import { openStore, unservedAddresses } from '#store';
import { reportFetch } from '../report/fetch.ts';
import type { Output } from '../report/output.ts';
import { openPassedTests, type PassedTests } from '../state/passed-tests.ts';
import { projectDurations } from './durations.ts';
import { expectationsKey } from './definition-expectations.ts';
import { installPackages, openEngines, type Engines } from './engines.ts';
import { fetchOrFaults, type FetchFaults } from './fetch-or-faults.ts';
import { checkoutWarnings } from './checkout-lines.ts';
import { testBuiltImage } from './image-expectations.ts';
import {
  definitionOf,
  fetchImages,
  missingInputs,
  openImageContext,
  type FetchInputsOptions,
} from './inputs.ts';
import { keepFailures, keepOrWarn, keepRecords } from './keep-records.ts';
import type { Project } from './project.ts';
import { recordImageSet, type RecordedSet } from './record-image-set.ts';

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

export interface Built extends RecordedSet {
  readonly result: BuildResult;
  /** Folder of the run's logs, relative to the repository. */
  readonly logs: string;
}

/** Default number of parallel builds on each engine. */
const SLOTS = 2;

/**
 * Executes a plan: opens store and engines, fetches inputs, builds and tests, records, and writes
 * the image set, even if images failed. The set has every image of the series whose current
 * definition is built and tested. Throws the errors of opening, and of fetching if no image can be
 * built without the missing inputs; failures of single images are in the result.
 */
export async function buildPlan(
  project: Project,
  plan: BuildPlan,
  request: BuildRequest,
): Promise<Built> {
  const { paths, root } = project;
  const { output, emit, signal } = request;
  warnBeforeBuild(project, plan, output);
  const store = await openStore({ folder: paths.store });
  try {
    // Before the inputs: a mistyped engine must fail before a long fetch.
    const engines = await openBuildEngines(project, plan, request);
    await forgetLeftovers(project, store, engines);
    const faults = await fetchPlanned(project, plan, request);
    const passed = openPassedTests(paths, plan.series);
    const run: BuildRun = { project, plan, request, store, engines, faults, passed };
    const logs = paths.logs(new Date().toISOString().replaceAll(/[-:]|\.\d+/g, ''));
    // Builds each image, seals it in the store, and tests it.
    const result = await runBuild(plan, await portsOf(run), optionsOf(run, logs), emit, signal);
    keepRun(run, result);
    const set = await recordImageSet(project, store, result, output);
    return { result, logs: relative(root, logs), ...set };
  } finally {
    await store.close();
  }
}

/** The open parts of a build. */
interface BuildRun {
  readonly project: Project;
  readonly plan: BuildPlan;
  readonly request: BuildRequest;
  readonly store: ImageStore;
  readonly engines: Engines['engines'];
  /** Images whose inputs could not be fetched. */
  readonly faults: FetchFaults['faults'];
  readonly passed: PassedTests;
}

/** Warns of files that a clone does not have, and of damaged images. */
function warnBeforeBuild(project: Project, plan: BuildPlan, output: Output): void {
  for (const line of checkoutWarnings(project, plan.images)) output.warn(line);
  const damaged = plan.images
    .filter(({ reasons }) => hasReason(reasons, 'damaged'))
    .map(({ image }) => image);
  if (damaged.length > 0)
    output.warn(`rebuilding, since ${reasonText({ kind: 'damaged' })}: ${damaged.join(', ')}`);
}

/** The engines of a build; empty if the plan needs none. */
async function openBuildEngines(
  { settings }: Project,
  plan: BuildPlan,
  { output, yes, endpoints }: BuildRequest,
): Promise<Engines['engines']> {
  if (!plan.images.some(hasWork)) return [];
  const opened = await openEngines({ settings, output, yes, ...omitUndefined({ endpoints }) });
  return opened.engines;
}

/**
 * Removes the image names of killed runs from the engines: those under addresses of this store,
 * which no other run uses while it is locked.
 */
async function forgetLeftovers(
  { paths }: Project,
  store: ImageStore,
  engines: Engines['engines'],
): Promise<void> {
  const left = [store.address, ...(await unservedAddresses(paths.store))].map(
    (address) => `${address}/`,
  );
  await Promise.allSettled(engines.map((engine) => engine.untagAll(left)));
}

/**
 * Fetches the missing inputs of the images to build; returns an error for each image without its
 * inputs. Cached files are checked by size only: most images may be aliased, and then nothing reads
 * their inputs.
 */
async function fetchPlanned(
  project: Project,
  plan: BuildPlan,
  request: BuildRequest,
): Promise<FetchFaults['faults']> {
  const missing = plan.images.filter(({ action }) => action === 'build').map(({ image }) => image);
  const { faults, raised } = await fetchOrFaults(missing, project.graph.ancestors, {
    fetch: () => fetchImages(project, missing, { ...fetchOptions(plan, request), check: 'size' }),
    lacking: (image) => missingInputs(project, image, plan.origin),
  });
  if (raised !== undefined) request.output.warn(errorText(raised).trimEnd());
  return faults;
}

function fetchOptions(
  { origin }: BuildPlan,
  { output, offline, yes, signal }: BuildRequest,
): FetchInputsOptions {
  return {
    origin,
    offline: offline === true,
    installPackages: (names) => installPackages(names, output, yes),
    events: reportFetch(output),
    signal,
  };
}

async function portsOf({
  project,
  plan,
  request,
  store,
  engines,
  faults,
  passed,
}: BuildRun): Promise<BuildPorts> {
  const keyOf = (image: ImageName): string => expectationsKey(definitionOf(project, image));
  const slots = request.jobs ?? project.settings.jobs ?? SLOTS;
  return {
    engines: engines.map((engine) => ({ engine, runner: engine, slots })),
    store,
    openContext: async ({ image, record }, signal) => {
      const fault = faults.get(image);
      if (fault !== undefined) throw fault;
      // Checks the content of cached files. No progress line, since the build draws one.
      const events = reportFetch({ ...request.output, terminal: false });
      await fetchImages(project, [image], { ...fetchOptions(plan, request), events, signal });
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
    durations: await projectDurations(project),
    clock: systemClock,
  };
}

function optionsOf({ project, request }: BuildRun, logs: string): Parameters<typeof runBuild>[2] {
  return {
    logs,
    ...omitUndefined({ jobs: request.jobs ?? project.settings.jobs }),
    noCache: request.noCache === true,
    rebuild: request.rebuild === true,
  };
}

/** Keeps the inputs of built images, failures and passed tests for later runs. */
function keepRun({ project, plan, request, store, passed }: BuildRun, result: BuildResult): void {
  const images = plan.images.filter(
    ({ action, fingerprint }) =>
      action === 'build' && store.byFingerprint(fingerprint) !== undefined,
  );
  keepOrWarn(request.output, () => {
    keepRecords(project, { ...plan, images });
    keepFailures(project, result);
    passed.compact(store.list());
  });
}
