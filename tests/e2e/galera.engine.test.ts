import { testGaleraFaults } from '../helpers/e2e/test-galera-faults.ts';

testGaleraFaults({ every: false });
