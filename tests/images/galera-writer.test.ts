import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { MODULES } from './galera-cases.ts';

const FOLDER = 'aside-2026-01-02T03:04:05Z-u-90';
// The reports of three turns: nothing is set aside, then one folder, then none again.
const PROGRAM = `
use strict; use warnings;
use Galera::Writer; use Galera::Api; use Galera::Server;
no warnings 'redefine';
*Galera::Api::available = sub { 1 };
*Galera::Api::call = sub { my ( $method, $path, $type, $body ) = @_; print "$method $path $body\n"; return 200 };
*Galera::Server::migrations = sub { return 'nova=b,c' };
my %report = ( member => 'db-0', state => 'serving', uuid => 'a-uuid' );
for my $aside ( '', '', '${FOLDER}', '${FOLDER}', '' ) {
    $report{aside} = $aside;
    Galera::Writer::keep( \\%report, [ 'db-0', 'db-1' ], sub { {} }, sub { } );
}
`;

it('publishes data, migrations and folders set aside of a member at its own pod, once for each change', () => {
  const lines = execFileSync('perl', [`-I${MODULES}`, '-e', PROGRAM], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
  const bodies = lines.map((line) => {
    const [method, path, body] = /^(\S+) (\S+) (.*)$/.exec(line)!.slice(1);
    return [method, path, JSON.parse(body!) as unknown];
  });
  const own = (aside: string | null): unknown => [
    'PATCH',
    'pods/db-0',
    {
      metadata: {
        annotations: {
          'ccp.openstack.org/data': 'a-uuid',
          'ccp.openstack.org/schemas': 'nova=b,c',
          'ccp.openstack.org/set-aside': aside,
        },
        labels: { 'ccp.openstack.org/role': 'writer' },
      },
    },
  ];
  const other = [
    'PATCH',
    'pods/db-1',
    { metadata: { labels: { 'ccp.openstack.org/role': null } } },
  ];
  expect(bodies).toEqual([own(null), other, own(FOLDER), other, own(null), other]);
});

// A view in the place of the table would run its functions as the database's administrator.
const READ = `
use strict; use warnings;
use Galera::Server;
no warnings 'redefine';
my $sql = '';
my @answers = ( "keystone\\ta,b\\nempty\\tNULL\\nodd name\\tc\\n", "nova\\t" . 'a' x 100_001, undef );
*Galera::Server::query = sub { ($sql) = @_; return shift @answers };
for ( 1 .. 3 ) { my $found = Galera::Server::migrations(); print defined $found ? $found : 'undef', "\\n" }
print "$sql\\n";
`;

it('reads migrations from tables alone, and publishes no text that is too long', () => {
  const run = execFileSync('perl', [`-I${MODULES}`, '-e', READ], { encoding: 'utf8' });
  const [first, long, silent, sql] = run.split('\n');
  expect([first, long, silent]).toEqual(['empty= keystone=a,b', 'undef', 'undef']);
  expect(sql).toContain("TABLE_TYPE = 'BASE TABLE'");
  expect(sql).toContain("TABLE_SCHEMA NOT REGEXP '[^0-9A-Za-z_-]'");
  expect(sql).toMatch(/lock_wait_timeout = 1.*START TRANSACTION READ ONLY; EXECUTE IMMEDIATE/);
});
