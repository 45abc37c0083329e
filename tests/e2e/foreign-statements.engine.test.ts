import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isRecord, parseJson, type Json } from '#core';
import { vexDocument } from '#cves';
import { imagePurl } from '#release';
import { LIBSSL } from '../../tools/cves/src/testing/samples.ts';
import { imageStatements } from '../../tools/release/src/statements/image-statements.ts';
import { memoryImages } from '../../tools/release/src/testing/memory-images.ts';
import { exampleInputs } from '../../tools/release/src/testing/statement-inputs.ts';
import { checkOpenVex, checkSpdx } from '../helpers/e2e/statement-checkers.ts';

// The statements of images, read by the reference tools of their formats. The fast tests compare
// CycloneDX with the official schema.
const folder = mkdtempSync(join(tmpdir(), 'ccp-statements-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { set, content } = memoryImages(['keystone']);
const entry = set.images[0]!;

/** A changed copy of a JSON document. */
function changed(document: Json, change: (copy: Record<string, Json>) => void): string {
  const copy = parseJson(JSON.stringify(document));
  if (!isRecord(copy)) throw new Error('the document is not an object');
  change(copy as Record<string, Json>);
  return JSON.stringify(copy);
}

describe('an SPDX document of an image', () => {
  const size = content.document(entry.digest).length;
  const { artifacts } = imageStatements(set, entry, size, exampleInputs());
  const document = parseJson(Buffer.from(artifacts.spdx!.blobs.at(-1)!.bytes).toString()) as Json;
  const check = (text: string) => {
    const file = join(folder, 'image.spdx.json');
    writeFileSync(file, text);
    return checkSpdx(file);
  };

  it('is valid SPDX 2.3', () => {
    expect(isRecord(document) && document['spdxVersion']).toBe('SPDX-2.3');
    const { status, output } = check(JSON.stringify(document));
    expect(status, output).toBe(0);
  });

  it('is refused with a package that nothing defines', () => {
    const { status, output } = check(
      changed(document, ({ relationships }) => {
        (relationships as Record<string, Json>[])[0]!['relatedSpdxElement'] = 'SPDXRef-missing';
      }),
    );
    expect([status, output]).toEqual([1, expect.stringContaining('SPDXRef-missing')]);
  });
});

describe('an OpenVEX document of an image', () => {
  const subject = { name: entry.name, digest: entry.digest, purl: imagePurl(entry) };
  const document = vexDocument(subject, [LIBSSL], {
    author: 'security@example.org',
    decisions: [
      {
        cve: 'CVE-2026-1000',
        package: 'openssl',
        status: 'not-affected',
        justification: 'vulnerable_code_not_in_execute_path',
        reason: 'No image runs the command line tool.',
        by: 'jo@example.org',
        reviewed: '2026-11-01',
      },
    ] as never,
  })!;

  it('is read by go-vex, and each statement is valid', async () => {
    expect(await checkOpenVex(JSON.stringify(document))).toEqual({
      status: 0,
      output: `CVE-2026-1000 ${subject.purl} not_affected`,
    });
  });

  it('is refused without the justification of a statement', async () => {
    const text = changed(document, ({ statements }) => {
      const [first] = statements as Record<string, Json>[];
      delete first!['justification'];
      delete first!['impact_statement'];
    });
    expect(await checkOpenVex(text)).toMatchObject({
      status: 1,
      output: expect.stringContaining('statement 0: '),
    });
  });
});
