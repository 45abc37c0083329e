import { clusterSuite } from './cluster-suite.ts';
import { fakeCluster } from './fake-cluster.ts';

clusterSuite('the fake', async () => ({ cluster: fakeCluster(), close: async () => undefined }));
