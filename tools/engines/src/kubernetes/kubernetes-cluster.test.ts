import { clusterSuite } from '#ports/testing';
import { clientUnderTest } from './testing.ts';

clusterSuite('the client on a server of ours', async () => await clientUnderTest({ pageSize: 5 }));
