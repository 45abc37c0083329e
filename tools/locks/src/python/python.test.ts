import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { constraintLines, pinnedVersion, requirementName } from './constraints.ts';
import { parsePylock, preferences } from './pylock.ts';
import { writeStubWheel } from './stub-wheel.ts';
import { finalReleases } from './versions.ts';
import { readZipEntry } from '#formats';
import { writeZip } from './write-zip.ts';

const A = 'a'.repeat(64);

describe('constraints', () => {
  it('omits the given projects by normalised name', () => {
    const text =
      '# upper\noslo.db===18.0.0\nHorizon===25.0\n\nx===1;python_version>="3.13" # why\n';
    expect(constraintLines(text, new Set(['horizon']))).toEqual([
      'oslo.db===18.0.0',
      'x===1;python_version>="3.13"',
    ]);
  });

  it.each([
    ['a===1.2', '1.2'],
    ['a[x]==1.2 ; y', '1.2'],
    ['a>=1', undefined],
    ['a', undefined],
    ['a @ https://x/==1', undefined],
  ])('%s pins %s', (requirement, version) => {
    expect(pinnedVersion(requirement)).toBe(version);
  });

  it.each(['-r /etc/passwd', 'a\n--index-url x', '', 'a @ https://x/a.whl'])(
    'refuse %j as a requirement',
    (text) => {
      expect(() => requirementName(text)).toThrow('is not a Python requirement');
    },
  );
});

it('sorts final releases, newest first, and omits other versions', () => {
  expect(
    finalReleases(['1.9', '1.10', '1.10.post1', '2.0rc1', '2.0.dev1', 'x', '1.10.0.1']),
  ).toEqual(['1.10.0.1', '1.10.post1', '1.10', '1.9']);
});

describe('a lock that uv wrote', () => {
  it('lists wheels of the index without local files', () => {
    const text = `lock-version = "1.0"\n[[packages]]\nname = "oslo.db"\nversion = "18.0.0"\nwheels = [{ url = "https://files.example/oslo_db-18.0.0-py3-none-any.whl", size = 5, hashes = { sha256 = "${A}" } }, { url = "file:///stubs/x-1-py3-none-any.whl", hashes = { sha256 = "${A}" } }]\n`;
    const wheel = {
      file: 'oslo_db-18.0.0-py3-none-any.whl',
      url: 'https://files.example/oslo_db-18.0.0-py3-none-any.whl',
      sha256: A,
      size: 5,
    };
    expect(parsePylock(text)).toEqual([{ name: 'oslo-db', version: '18.0.0', wheels: [wheel] }]);
  });

  it.each([
    ['not toml', 'the result of uv cannot be read'],
    ['[[packages]]\nname = "../x"\nversion = "1"', 'invalid package name "../x"'],
    ['[[packages]]\nname = "x"\nversion = "$(id)"', 'invalid version "$(id)" of x'],
  ])('is validated: %s', (text, message) => {
    expect(() => parsePylock(text)).toThrow(message);
  });

  it('can prefer versions', () => {
    expect(parsePylock(preferences([{ name: 'x', version: '1' }]))).toEqual([
      { name: 'x', version: '1', wheels: [] },
    ]);
  });
});

describe('stub wheels', () => {
  it('writes equal bytes for equal metadata, on one line each', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ccp-stub-'));
    const facts = {
      name: 'python-ldap',
      version: '3.4.5',
      requires: ['pyasn1\n Name: other'],
      extras: ['x'],
    };
    const path = writeStubWheel(folder, facts);
    const bytes = readFileSync(path);
    writeStubWheel(folder, facts);
    expect(path).toBe(join(folder, 'python_ldap-3.4.5-py3-none-any.whl'));
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(
      Buffer.from(
        readZipEntry(bytes, (name) => name === 'python_ldap-3.4.5.dist-info/METADATA'),
      ).toString(),
    ).toBe(
      'Metadata-Version: 2.1\nName: python-ldap\nVersion: 3.4.5\nProvides-Extra: x\nRequires-Dist: pyasn1 Name: other\n',
    );
    rmSync(folder, { recursive: true });
  });

  it('refuses damaged stub wheels', () => {
    const zip = Buffer.from(writeZip({ a: 'content' }));
    expect(() => readZipEntry(zip, (name) => name === 'b')).toThrow(
      'it does not contain the requested file',
    );
    zip[32] = 0;
    expect(() => readZipEntry(zip, () => true)).toThrow('"a" is damaged');
    expect(() => readZipEntry(deflateRawSync('x'), () => true)).toThrow('it has no directory');
  });
});
