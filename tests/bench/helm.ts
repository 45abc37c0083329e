import { fileURLToPath } from 'node:url';
import { buildPrograms, type ProgramModule } from '#cluster';
import { CLUSTER_CACHE } from '../helpers/cluster/cluster-cache.ts';

const HELM_MODULE: ProgramModule = {
  name: 'helm',
  folder: fileURLToPath(new URL('helm', import.meta.url)),
  programs: { helm: 'helm.sh/helm/v3/cmd/helm' },
  linkerFlags: [],
};

/** Path of a Helm that is built from Go modules, once on a machine. */
export async function buildHelm(say: (sentence: string) => void): Promise<string> {
  const { helm } = await buildPrograms([HELM_MODULE], { cache: CLUSTER_CACHE, say });
  return helm as string;
}
