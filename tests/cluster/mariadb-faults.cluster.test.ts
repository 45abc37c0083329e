import { testDatabaseFaults } from '../helpers/cluster/test-database-faults.ts';

// The other series runs with all faults in the nightly group.
testDatabaseFaults('2026.1', { every: false });
