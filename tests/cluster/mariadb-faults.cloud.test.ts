import { testDatabaseFaults } from '../helpers/cluster/test-database-faults.ts';

for (const series of process.env['CCP_TEST_SERIES']?.split(',') ?? ['2026.1', '2025.2'])
  testDatabaseFaults(series, { every: true });
