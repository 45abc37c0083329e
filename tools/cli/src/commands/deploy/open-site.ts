import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { formatPosition } from '#core';
import { readAppSpecs, readSite, type Site } from '#definitions';
import { findPlainSecrets, layOutSite, machineClock, type ApplyOptions, type RenderedSite } from '#deploy';
import type { Cluster } from '#ports';
import { openProject } from '../../compose.ts';
import { lastImageSet } from '../../image-set.ts';
import { interruptSignal } from '../../interrupt.ts';
import type { CommandContext } from '../../program.ts';
import { deployReporter } from '../../reporters/deploy-progress.ts';
import { readImageSet } from '../render.ts';

/** Flags of every command about a running site. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Flags that choose what is rendered. */
export interface SetFlags {
  readonly set?: string;
}

/** A site of the workspace, laid out for an image set; plain secrets in it are warned of. Raises what reading and rendering raise. */
export function renderedSite({ root, output }: Pick<CommandContext, 'root' | 'output'>, site: Site, { set }: SetFlags): RenderedSite {
  for (const { at, message, hint } of findPlainSecrets(site)) output.warn(`${formatPosition(at ?? { file: site.name })}: ${message}; ${hint}`);
  const imageSet = set === undefined ? lastImageSet(openProject(root, site.series)) : readImageSet(set);
  return layOutSite({ site, appSpecs: readAppSpecs(root), imageSet });
}

/** What a command gets that talks to a site's cluster. */
export interface RunningSite {
  readonly site: Site;
  readonly cluster: Cluster;
  /** How an engine is to run: who, when, and where it tells its progress. */
  readonly engine: Pick<ApplyOptions, 'by' | 'run' | 'clock' | 'emit'> & { readonly signal: AbortSignal };
}

/** Runs `work` with a connection to a site's cluster: the site's context unless the flags name another. Ctrl-C ends it where nothing is half written. */
export async function withCluster<T>({ root, output }: CommandContext, name: string, { kubeconfig, context }: ClusterFlags, work: (running: RunningSite) => Promise<T>): Promise<T> {
  const site = readSite(root, name);
  const { connectCluster } = await import('#engines');
  const { signal, done } = interruptSignal(output.warn);
  const reporter = deployReporter(output);
  try {
    const { cluster, close } = await connectCluster({ context: context ?? site.cluster.context, ...(kubeconfig === undefined ? {} : { kubeconfig }) });
    try {
      const engine = { by: `${userInfo().username}@${hostname()}`, run: `process ${process.pid}, ${randomBytes(3).toString('hex')}`, clock: machineClock, emit: reporter.emit, signal };
      return await work({ site, cluster, engine });
    } finally {
      close();
    }
  } finally {
    reporter.end();
    done();
  }
}
