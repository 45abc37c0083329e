import { Option } from 'commander';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CcpError } from '#core';
import type { CommandDefinition } from '../command.ts';
import type { TrustFlags } from '../compose/registry-place.ts';
import { TRUST } from '../options.ts';
import { EXIT } from '../report/exit-codes.ts';
import { statePaths } from '../state/paths.ts';

const HOST = fileURLToPath(new URL('../compose/host-cluster.ts', import.meta.url));

export interface UpFlags extends TrustFlags {
  readonly set?: string;
}

/**
 * `ccp up [SITE]`: starts the cluster of the workspace unless it runs. Adds node labels and storage
 * classes for the site, or for all sites. Images are pulled from the store of the workspace. Throws
 * `machine-*` if the machine lacks a requirement, and `cluster-failed` if the node does not become
 * ready.
 */
export const up: CommandDefinition<UpFlags> = {
  usage: 'up [site]',
  description:
    'start a single-node Kubernetes cluster on this machine and prepare it for one site or all sites',
  options: [
    new Option(
      '--set <bundle>',
      'bundle of `ccp release bundle` whose images the cluster can run: they are copied to the store',
    ),
    TRUST,
  ],
  examples: [
    'ccp up',
    'ccp up local --set 2026.1.0.tar --trust release.key.pub',
    'ccp up local && ccp deploy apply local --kubeconfig .ccp/cluster/kubeconfig',
  ],
  run: async ({ root, output, flags }, [name], given) => {
    const {
      areProgramsBuilt,
      buildPrograms,
      controlPlaneModules,
      missingPackages,
      nodeModules,
      startCluster,
    } = await import('#cluster');
    const { readSite, siteNames } = await import('#definitions/deploy');
    const { connectCluster } = await import('#engines');
    const { openMemo } = await import('#host');
    const { installPackages } = await import('../compose/engines.ts');
    const { prepareForSite } = await import('../compose/prepare-for-site.ts');
    const { programFolder, readSettings } = await import('../compose/settings.ts');
    const sites = (name === undefined ? siteNames(root) : [name]).map((each) =>
      readSite(root, each),
    );
    if (process.getuid?.() !== 0)
      throw new CcpError({
        code: 'machine-root',
        message: 'a cluster on this machine requires root',
        hint: 'run as root, or deploy to another cluster with --context',
      });
    const paths = statePaths(root);
    if (given.set !== undefined) {
      const { isArchive, UP_CONTEXT, withBundleSet } =
        await import('../compose/deploy/bundle-set.ts');
      if (!isArchive(given.set))
        throw new CcpError({
          code: 'usage',
          message: `${given.set} is not a bundle`,
          hint: 'name an archive of `ccp release bundle`; `ccp deploy apply --set FILE` takes other image sets',
        });
      const [site] = name === undefined ? [] : sites;
      await withBundleSet(
        { root, output },
        () => site,
        { ...given, context: UP_CONTEXT },
        { load: true },
      );
    }
    const cache = join(programFolder(readSettings(root, openMemo(paths.memo))), 'kubernetes');
    const modules = [...controlPlaneModules(), ...nodeModules()];
    const missing = missingPackages({ toBuild: !(await areProgramsBuilt(modules, cache)) });
    if (missing.length > 0) await installPackages(missing, output, flags.yes === true);
    const programs = await buildPrograms(modules, { cache, say: output.info });
    const { kubeconfig, reused } = await startCluster({
      folder: paths.cluster,
      programs,
      store: paths.store,
      host: [process.execPath, HOST],
      say: output.info,
    });
    const { cluster, close } = await connectCluster({ kubeconfig });
    try {
      for (const site of sites) await prepareForSite(cluster, site);
    } finally {
      close();
    }
    const shown = relative(process.cwd(), kubeconfig);
    const deploy = `ccp deploy apply ${name ?? 'SITE'} --kubeconfig ${shown.startsWith('..') ? kubeconfig : shown} --context ccp`;
    const ready = sites.map((site) => site.name).join(', ') || 'no site';
    output.result(
      `a single-node cluster ${reused ? 'is already running' : 'is running'}, prepared for: ${ready}\ndeploy:  ${deploy}\nstop it: ccp down`,
      {
        kubeconfig,
        context: 'ccp',
        reused,
        sites: sites.map((site) => site.name),
      },
    );
    return EXIT.done;
  },
};
