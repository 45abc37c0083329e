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
