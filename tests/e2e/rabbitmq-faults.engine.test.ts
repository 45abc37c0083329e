import { testBusFaults } from '../helpers/e2e/test-bus-faults.ts';

// The other series runs with all faults in the nightly group.
testBusFaults('2026.1', { every: false });
