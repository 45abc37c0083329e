import { testBusFaults } from '../helpers/e2e/test-bus-faults.ts';

for (const series of process.env['CCP_TEST_SERIES']?.split(',') ?? ['2026.1', '2025.2'])
  testBusFaults(series, { every: true });
