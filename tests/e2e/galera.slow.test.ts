import { testGaleraFaults } from './test-galera-faults.ts';

testGaleraFaults({ every: false });
