import { expect, it } from 'vitest';
import { readAppSpecs } from '#definitions/deploy';
import { REPOSITORY } from '../helpers/ccp.ts';
import { runProgram } from './run-program.ts';

const MARIADB = readAppSpecs(REPOSITORY).get('mariadb')!;

it("setup jobs do not have root's password", () => {
  const { setup } = MARIADB.provides!['database']!;
  const secrets = Object.values(setup!.env!).filter((value) => /secrets\./.test(String(value)));
  expect(secrets).toEqual(['${secrets.setup.password}']);
});

it.each([
  ['a setup job', {}, 'keep'],
  ['the job that removes the password before', { OTHERS: 'remove' }, 'remove'],
])('calls only the procedure in %s, as the limited account', (_, env, others) => {
  const run = runProgram('mariadb/config/make-database.sh', [], {
    env: {
      DATABASE_HOST: 'mariadb.test',
      DATABASE_PORT: '3306',
      SETUP_PASSWORD: 's3tup',
      ACCOUNT: 'nova',
      ACCOUNT_PASSWORD: 'pa55',
      DATABASES: 'nova,nova_cell0',
      ...env,
    },
    stubs: {
      'mariadb-admin': '',
      mariadb: 'file=${1#--defaults-file=}; cat "$file"; stat --format=%a "$file"; cat',
    },
  });
  expect(run).toMatchObject({
    status: 0,
    stdout: `[client]\nuser=ccp.setup\npassword=s3tup\nhost=mariadb.test\nport=3306\n600\nCALL mysql.make_account('nova', 'pa55', 'nova,nova_cell0', '${others}');\n`,
    calls: [
      'mariadb-admin --defaults-file=/tmp/client.cnf --connect-timeout=5 --wait=20 ping',
      'mariadb --defaults-file=/tmp/client.cnf',
    ],
  });
});

it('refuses a password in a setup job that would end its quotes', () => {
  const run = runProgram('mariadb/config/make-database.sh', [], {
    env: { ACCOUNT_PASSWORD: "x'; DROP DATABASE nova" },
  });
  expect(run).toMatchObject({ status: 1, stderr: 'the password must be letters and digits\n' });
});
