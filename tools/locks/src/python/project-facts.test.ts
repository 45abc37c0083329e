import { describe, expect, it } from 'vitest';
import { projectFacts } from './project-facts.ts';

const facts = (files: Record<string, string>): ReturnType<typeof projectFacts> =>
  projectFacts(new Map(Object.entries(files)), 'x.tar.gz');

describe('the requirements of a project', () => {
  it('reads requirements from the metadata of a source archive', () => {
    const info =
      'Metadata-Version: 2.4\nName: Key.Stone\nVersion: 29.0.2\nRequires-Dist: pbr>=2\nProvides-Extra: ldap\nRequires-Dist: python-ldap>=3; extra == "ldap"\n\nRequires-Dist: from-the-readme\n';
    expect(facts({ 'PKG-INFO': info, 'requirements.txt': 'other' })).toEqual({
      name: 'key-stone',
      version: '29.0.2',
      requires: ['pbr>=2', 'python-ldap>=3; extra == "ldap"'],
      extras: ['ldap'],
      buildRequires: ['setuptools', 'wheel'],
    });
  });

  it("are read from setuptools' requires.txt if the metadata lists none", () => {
    const requires =
      'pbr>=2\n\n[:python_version < "3.8"]\nolder\n\n[ldap]\nldappool\n\n[Ldap_X:sys_platform == "linux"]\nlinux; os_name == "posix"\n';
    expect(
      facts({ 'PKG-INFO': 'Name: x\nVersion: 1\n', 'x.egg-info/requires.txt': requires }),
    ).toMatchObject({
      requires: [
        'pbr>=2',
        'older; (python_version < "3.8")',
        'ldappool; extra == "ldap"',
        'linux; (os_name == "posix") and (sys_platform == "linux") and extra == "ldap-x"',
      ],
      extras: ['ldap', 'ldap-x'],
    });
  });

  it('reads requirements from a git tree in the layout of pbr', () => {
    const cfg =
      '[metadata]\nname = keystone\n[extras]\nldap =\n  python-ldap>=3:(python_version>="3.9") # PSF\n  ldappool\n';
    expect(
      facts({
        'setup.cfg': cfg,
        'requirements.txt': '# comment\npbr>=2 # Apache\n-r other.txt\n',
        'setup.py': 'setuptools.setup(\n    setup_requires=["pbr>=2.0.0"],\n    pbr=True)',
      }),
    ).toEqual({
      name: 'keystone',
      requires: [
        'pbr>=2',
        'python-ldap>=3; (python_version>="3.9") and extra == "ldap"',
        'ldappool; extra == "ldap"',
      ],
      extras: ['ldap'],
      buildRequires: ['setuptools', 'wheel', 'pbr>=2.0.0', 'pbr'],
    });
  });

  it('reads requirements from pyproject.toml', () => {
    const toml =
      '[project]\nname = "x"\ndependencies = ["a>=1"]\n[project.optional-dependencies]\ntls = ["b"]\n[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n';
    expect(facts({ 'pyproject.toml': toml })).toEqual({
      name: 'x',
      requires: ['a>=1', 'b; extra == "tls"'],
      extras: ['tls'],
      buildRequires: ['hatchling'],
    });
  });

  it('finds no requirements without metadata', () => {
    expect(facts({ 'PKG-INFO': 'Name: uWSGI\nVersion: 2.0.31\n', 'setup.py': 'x' })).toMatchObject({
      name: 'uwsgi',
      requires: [],
      buildRequires: ['setuptools', 'wheel'],
    });
  });

  it('limits setuptools if the package that setup.py imports needs pkg_resources', () => {
    const init = "__import__('pkg_resources').declare_namespace(__name__)\n";
    expect(
      facts({ 'setup.py': 'from xstatic.pkg import tv4', 'xstatic/__init__.py': init })
        .buildRequires,
    ).toEqual(['setuptools<82', 'setuptools', 'wheel']);
    expect(
      facts({ 'setup.py': '', 'x/__init__.py': '# pkg_resources is not used' }).buildRequires,
    ).toEqual(['setuptools', 'wheel']);
  });

  it('refuses invalid TOML', () => {
    expect(() => facts({ 'pyproject.toml': '[project' })).toThrow(
      'pyproject.toml of x.tar.gz cannot be read',
    );
  });
});
