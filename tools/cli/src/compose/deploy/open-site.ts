import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { collectErrors, formatPosition, omitUndefined } from '#core';
import type { Site } from '#definitions';
import { readAppSpecs, readSite } from '#definitions/deploy';
import { hasEnded, processMark } from '#host';
import { type Cluster, type PodExec, systemClock } from '#ports';
import type { ApplyOptions } from '#rollout';
import type { ImageSet } from '#release';
import {
  bind,
  boundOrThrow,
  expiringAuthorities,
  findPlainSecrets,
  render,
  type RenderedSite,
  type SiteInput,
} from '#site';
import type { CommandContext } from '../../command.ts';
import { deployReporter } from '../../report/deploy-progress.ts';
import { interruptSignal } from '../interrupt.ts';
import { namedImageSet, siteAppSpecs, type NamedImageSet } from './site-app-specs.ts';
import { checkSiteKeys } from './site-keys.ts';

/** Flags of every command about a running site. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Flags that choose the image set to render. */
export interface SetFlags {
  readonly set?: string;
}

/**
 * The input of `bind`: the site, its image set and its app specs. Warns of plain-text secrets and
 * expiring certificate authorities. Throws all errors of reading together.
 */
export function siteInput(
  { root, output }: Pick<CommandContext, 'root' | 'output'>,
  read: () => Site,
  { set }: SetFlags,
): SiteInput & { readonly imageSet: ImageSet } {
  let found: Site | undefined;
  let named: NamedImageSet | undefined;
  const [{ site, imageSet }, appSpecs] = collectErrors([
    () => {
      found = read();
      for (const { at, message, hint } of [
        ...findPlainSecrets(found),
        ...expiringAuthorities(found, Date.now()),
      ])
        output.warn(`${formatPosition(at ?? { file: found.name })}: ${message}; ${hint}`);
      named = namedImageSet(root, found.series, set);
      checkSiteKeys(root, found, named);
      return { site: found, imageSet: named.set };
    },
    () => (found === undefined ? readAppSpecs(root) : siteAppSpecs({ root, output }, found, named)),
  ]);
  return { site, appSpecs, imageSet };
}

/**
 * A site of the workspace, rendered for an image set. Throws the errors of `siteInput` and the
 * findings of `bind`.
 */
export function renderedSite(
  context: Pick<CommandContext, 'root' | 'output'>,
  site: Site,
  flags: SetFlags,
): RenderedSite {
  return render(boundOrThrow(bind(siteInput(context, () => site, flags))));
}

/** Context of commands that use a site's cluster. */
export interface RunningSite {
  readonly site: Site;
  readonly cluster: Cluster;
  readonly exec: PodExec;
  /** Options of every apply: user, process, clock, progress and cancellation. */
  readonly engine: Pick<ApplyOptions, 'by' | 'run' | 'process' | 'clock' | 'emit'> & {
    readonly signal: AbortSignal;
  };
}

/**
 * Runs `work` with a connection to a site's cluster: the site's context unless the flags name
 * another. Ctrl-C cancels it at a safe point.
 */
export async function withCluster<T>(
  context: CommandContext,
  name: string,
  { kubeconfig, context: kubeContext }: ClusterFlags,
  work: (running: RunningSite) => Promise<T>,
): Promise<T> {
  const site = readSite(context.root, name);
  const flags = { context: kubeContext ?? site.cluster.context, ...omitUndefined({ kubeconfig }) };
  return await withConnection(context, flags, (running) => work({ site, ...running }));
}

/**
 * Runs `work` with a connection to the cluster of a kubeconfig. Ctrl-C cancels it at a safe point.
 */
export async function withConnection<T>(
  { output }: Pick<CommandContext, 'output'>,
  flags: ClusterFlags,
  work: (running: Omit<RunningSite, 'site'>) => Promise<T>,
): Promise<T> {
  const { connectCluster } = await import('#engines');
  const { signal, done } = interruptSignal(output.warn);
  const reporter = deployReporter(output);
  const mark = processMark();
  try {
    const { cluster, exec, close } = await connectCluster(flags);
    try {
      const engine = {
        by: `${userInfo().username}@${hostname()}`,
        run: `process ${process.pid}, ${randomBytes(3).toString('hex')}`,
        ...(mark === undefined ? {} : { process: { mark, hasEnded } }),
        clock: systemClock,
        emit: reporter.emit,
        signal,
      };
      return await work({ cluster, exec, engine });
    } finally {
      close();
    }
  } finally {
    reporter.end();
    done();
  }
}
