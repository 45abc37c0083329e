import { CcpError } from '#core';
import type { Cluster } from '#ports';
import type { ApplicationRecord, ApplicationSources } from '../record/record.ts';
import { createNamespace, readRecord, writeSources } from '../record/store.ts';
import { noteInterrupted, underLock, type Held } from '../session/change.ts';
import type { ApplicationEngine, RenderApplication } from '../session/engine.ts';
import { runBusy } from '../session/run-busy.ts';
import { checkVerb, isBusy } from '../states.ts';

/** A tarball that was read and checked. */
export interface UploadedApplication {
  readonly name: string;
  readonly version: string;
  /** Throws its faults: rules of StarlingX that it breaks, or missing files. */
  readonly sources: () => ApplicationSources;
  /** Part `upgrades` of its metadata. */
  readonly upgrades: UpgradeRules;
  readonly kubernetes: { readonly minimum?: string; readonly maximum?: string };
  readonly keepsOverrides: boolean;
}

/** Which versions it can update, and whether a failed update stays. */
export interface UpgradeRules {
  /** Patterns of whole versions; absent allows every version. */
  readonly fromVersions?: readonly string[];
  readonly staysFailed: boolean;
}

/**
 * Records an application: `uploaded`, or `upload-failed` with its first fault, which is thrown.
 * Throws `application-state` if the name exists.
 */
export async function uploadApplication(
  engine: ApplicationEngine,
  tarball: UploadedApplication,
  render: RenderApplication,
): Promise<ApplicationRecord> {
  const { name, version } = tarball;
  await createNamespace(engine.cluster);
  const before = await readRecord(engine.cluster, name);
  if (before !== undefined && !isBusy(before.state)) checkVerb(name, 'upload', before.state);
  return await underLock(engine, name, async (cluster, signal) => {
    const found = await readRecord(cluster, name);
    if (found !== undefined) {
      checkVerb(name, 'upload', found.state);
      noteInterrupted(engine, found);
    }
    const record = { format: 1, name, version, state: 'uploading', roles: {}, by: '', at: '' };
    const held: Held = { cluster, record: record as ApplicationRecord, signal };
    return await runBusy(engine, held, { state: 'uploading' }, async () => {
      const sources = tarball.sources();
      const { site, roles } = render(name, sources, {});
      await checkKubernetes(cluster, tarball);
      await writeSources(cluster, name, version, sources);
      return { change: { state: 'uploaded', site, roles } };
    });
  });
}

/** Throws `application-kubernetes` if the cluster's version is not supported. */
export async function checkKubernetes(
  cluster: Pick<Cluster, 'version'>,
  { name, version, kubernetes: { minimum, maximum } }: UploadedApplication,
): Promise<void> {
  const { gitVersion } = await cluster.version();
  const isBelow = minimum !== undefined && compare(gitVersion, minimum) < 0;
  if (!isBelow && (maximum === undefined || compare(gitVersion, maximum) <= 0)) return;
  throw new CcpError({
    code: 'application-kubernetes',
    message: `${name} ${version} needs Kubernetes ${isBelow ? `${minimum} or newer` : `${maximum} or older`}, but the cluster has ${gitVersion}`,
    hint: 'use another version of the application, or upgrade the cluster',
  });
}

/** Compares versions like `v1.36.3` by the numbers that both have. */
function compare(first: string, second: string): number {
  const numbers = (text: string): number[] => (text.match(/\d+/g) ?? []).slice(0, 3).map(Number);
  const [left, right] = [numbers(first), numbers(second)];
  for (const [index, number] of right.entries())
    if (left[index] !== undefined && left[index] !== number) return left[index] - number;
  return 0;
}
