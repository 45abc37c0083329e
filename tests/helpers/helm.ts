import { fileURLToPath } from 'node:url';
import { buildPrograms } from '#cluster';
import { CLUSTER_CACHE } from './cluster/cluster-cache.ts';

/** Major versions of Helm that charts are tested with. */
export const HELM_VERSIONS = [3, 4] as const;

/** Path of a Helm that is built from Go modules, once on a machine. */
export async function buildHelm(
  say: (sentence: string) => void,
  major: (typeof HELM_VERSIONS)[number] = 3,
): Promise<string> {
  const { helm } = await buildPrograms(
    [
      {
        name: `helm${major}`,
        folder: fileURLToPath(new URL(`helm${major}`, import.meta.url)),
        programs: { helm: `helm.sh/helm/v${major}/cmd/helm` },
        linkerFlags: [],
      },
    ],
    { cache: CLUSTER_CACHE, say },
  );
  return helm as string;
}
