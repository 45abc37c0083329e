import { sha256, type Sha256 } from '#core';
import { purlOf } from '../statements/purl.ts';
import type { StatementInputs } from '../statements/types.ts';

/** Inputs of statements about an image with one Debian package, a Python file and a source. */
export function exampleInputs(): StatementInputs {
  const hash = (text: string): Sha256 => sha256(text);
  const vcs = { vcs_url: `git+https://git.example.org/keystone@${'a'.repeat(40)}` };
  return {
    components: [
      {
        kind: 'debian',
        name: 'libldap2',
        version: '2.6.10+dfsg-1',
        architecture: 'amd64',
        sha256: hash('deb'),
        file: 'libldap2_2.6.10+dfsg-1_amd64.deb',
        purl: purlOf('deb', 'debian/libldap2', '2.6.10+dfsg-1', {
          arch: 'amd64',
          distro: 'trixie',
        }),
      },
      {
        kind: 'python',
        name: 'flask-restful',
        version: '0.3.10',
        sha256: hash('wheel'),
        file: 'Flask_RESTful-0.3.10-py2.py3-none-any.whl',
        purl: purlOf('pypi', 'flask-restful', '0.3.10'),
        distribution: true,
      },
      {
        kind: 'source',
        name: 'keystone',
        version: '29.0.2',
        purl: purlOf('pypi', 'keystone', '29.0.2', vcs),
        distribution: true,
      },
    ],
    installed: {
      debian: [
        {
          name: 'libldap2',
          version: '2.6.10+dfsg-1',
          architecture: 'amd64',
          source: 'openldap',
        },
      ],
      python: [
        { name: 'Flask-RESTful', version: '0.3.10' },
        { name: 'keystone', version: '29.0.2' },
      ],
    },
    dependencies: [
      { uri: 'git+https://git.example.org/keystone@c', digest: { gitCommit: 'a'.repeat(40) } },
      { uri: 'ccp:dockerfile', name: 'Dockerfile', digest: { sha256: hash('dockerfile') } },
    ],
    parameters: { origin: 'git', semantics: 3 },
    tests: ['imports keystone', 'its API responds'],
  };
}
