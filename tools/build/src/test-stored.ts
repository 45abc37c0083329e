import { CcpError, counted } from '#core';
import type { StoredImage } from '#ports';
import type { PlannedImage } from '#plan';
import type { ImageTask } from './build-image.ts';
import type { TestReport } from './image-tests/types.ts';
import type { ImageTold } from './image-told.ts';
import type { BuildPorts } from './types.ts';

/** Has the engine pull a stored image by digest and runs its tests. Raises `image-tests-failed` with all findings, and the errors of the ports. */
export async function testStored(
  { planned, engine, runner, onPulled }: ImageTask,
  stored: StoredImage,
  ports: BuildPorts,
  told: ImageTold,
  signal: AbortSignal,
): Promise<void> {
  const reference = ports.store.reference(planned.image, stored.digest);
  await told.during('test', async () => {
    onPulled(reference);
    await engine.pull(reference, signal);
    const report = await ports.testImage({ planned, stored, reference, runner }, signal);
    told.output('test', reportText(report));
    if (report.findings.length > 0) throw testsFailed(planned, report);
  });
}

function testsFailed({ image }: PlannedImage, { findings }: TestReport): CcpError {
  return new CcpError({
    code: 'image-tests-failed',
    message: [
      `the tests of ${image} found ${findings.length === 1 ? 'a fault' : `${findings.length} faults`}:`,
      ...findings.map(({ message }) => `- ${message}`),
    ].join('\n'),
    hint: `mend the image, or what its definition says under "tests"; the image is not in the set`,
  });
}

function reportText({ checks, findings }: TestReport): string {
  return [
    ...findings.map(({ check, message }) => `${check}: ${message}`),
    `${counted(checks.length, 'check')}, ${counted(findings.length, 'finding')}`,
    '',
  ].join('\n');
}
