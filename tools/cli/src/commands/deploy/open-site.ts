import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { allTogether, formatPosition } from '#core';
import type { Site } from '#definitions';
import { readAppSpecs, readAppSpecsOf, readSite } from '#definitions/deploy';
import { expiringAuthorities, findPlainSecrets, layOutSite, machineClock, type ApplyOptions, type RenderedSite, type SiteInput } from '#deploy';
import { hasEnded, processMark } from '#host';
import type { Cluster } from '#ports';
import { openProject } from '../../compose.ts';
import { lastImageSet, readImageSet } from '../../image-set.ts';
import { interruptSignal } from '../../interrupt.ts';
import type { CommandContext } from '../../program.ts';
import { deployReporter } from '../../reporters/deploy-progress.ts';

/** Flags of every command about a running site. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Flags that choose what is rendered. */
export interface SetFlags {
  readonly set?: string;
}

/** What a site is laid out from: itself as `read` gives it, its image set, and the app specs that it runs; plain secrets in it and authorities that end are warned of. Raises together what reading them raises. */
export function siteInput({ root, output }: Pick<CommandContext, 'root' | 'output'>, read: () => Site, { set }: SetFlags): SiteInput {
  let found: Site | undefined;
  const [{ site, imageSet }, appSpecs] = allTogether([
    () => {
      found = read();
      for (const { at, message, hint } of [...findPlainSecrets(found), ...expiringAuthorities(found, Date.now())])
        output.warn(`${formatPosition(at ?? { file: found.name })}: ${message}; ${hint}`);
      return { site: found, imageSet: set === undefined ? lastImageSet(openProject(root, found.series)) : readImageSet(set) };
    },
    () => (found === undefined ? readAppSpecs(root) : readAppSpecsOf(root, found)),
  ]);
  return { site, appSpecs, imageSet };
}

/** A site of the workspace, laid out for an image set. Raises what `siteInput` and `layOutSite` raise. */
export function renderedSite(context: Pick<CommandContext, 'root' | 'output'>, site: Site, flags: SetFlags): RenderedSite {
  return layOutSite(siteInput(context, () => site, flags));
}

/** What a command gets that talks to a site's cluster. */
export interface RunningSite {
  readonly site: Site;
  readonly cluster: Cluster;
  /** How an engine is to run: who, when, and where it tells its progress. */
  readonly engine: Pick<ApplyOptions, 'by' | 'run' | 'process' | 'clock' | 'emit'> & { readonly signal: AbortSignal };
}

/** Runs `work` with a connection to a site's cluster: the site's context unless the flags name another. Ctrl-C ends it where nothing is half written. */
export async function withCluster<T>(
  { root, output }: CommandContext,
  name: string,
  { kubeconfig, context }: ClusterFlags,
  work: (running: RunningSite) => Promise<T>,
): Promise<T> {
  const site = readSite(root, name);
  const { connectCluster } = await import('#engines');
  const { signal, done } = interruptSignal(output.warn);
  const reporter = deployReporter(output);
  const mark = processMark();
  try {
    const { cluster, close } = await connectCluster({ context: context ?? site.cluster.context, ...(kubeconfig === undefined ? {} : { kubeconfig }) });
    try {
      const engine = {
        by: `${userInfo().username}@${hostname()}`,
        run: `process ${process.pid}, ${randomBytes(3).toString('hex')}`,
        ...(mark === undefined ? {} : { process: { mark, hasEnded } }),
        clock: machineClock,
        emit: reporter.emit,
        signal,
      };
      return await work({ site, cluster, engine });
    } finally {
      close();
    }
  } finally {
    reporter.end();
    done();
  }
}
