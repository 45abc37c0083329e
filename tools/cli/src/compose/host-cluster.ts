import { readFileSync } from 'node:fs';
import { hostCluster, CLUSTER_REGISTRY, type ClusterPlan } from '#cluster';
import { messageOf } from '#core';
import { serveStore } from '#store';

// Process 1 of a cluster's namespaces, started by `ccp up` with the path of the cluster's plan.
const plan = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as ClusterPlan;
await hostCluster(plan, async (folder) => await serveStore({ folder, ...CLUSTER_REGISTRY })).catch(
  (thrown: unknown) => {
    process.stderr.write(`${messageOf(thrown)}\n`);
    process.exit(1);
  },
);
