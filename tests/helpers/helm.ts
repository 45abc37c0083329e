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
  return await buildTool(say, `helm${major}`, 'helm', `helm.sh/helm/v${major}/cmd/helm`);
}

/** Path of a kustomize that is built from Go modules, once on a machine. */
export async function buildKustomize(say: (sentence: string) => void): Promise<string> {
  const source = 'sigs.k8s.io/kustomize/kustomize/v5';
  return await buildTool(say, 'kustomize', 'kustomize', source);
}

/** Builds `program` of the Go module in the folder `name`. */
async function buildTool(
  say: (sentence: string) => void,
  name: string,
  program: string,
  source: string,
): Promise<string> {
  const built = await buildPrograms(
    [
      {
        name,
        folder: fileURLToPath(new URL(name, import.meta.url)),
        programs: { [program]: source },
        linkerFlags: [],
      },
    ],
    { cache: CLUSTER_CACHE, say },
  );
  return built[program] as string;
}
