import { CcpError, counted } from '#core';
import type { PlannedImage } from '#plan';
import type { ContainerRunner, StoredImage } from '#ports';
import type { ImageReporter } from './image-reporter.ts';
import type { ImageTask } from './image-task.ts';
import type { TestReport } from './image-tests/types.ts';
import type { BuildPorts } from './types.ts';

/**
 * Runs the tests of a stored image. The image is pulled by digest before its first container.
 * Throws `image-tests-failed` with all findings, and the errors of the ports.
 */
export async function testStored(
  { planned, engine, runner, onPulled }: ImageTask,
  stored: StoredImage,
  ports: BuildPorts,
  reporter: ImageReporter,
  signal: AbortSignal,
): Promise<void> {
  const reference = ports.store.reference(planned.image, stored.digest);
  await reporter.during('test', async () => {
    let pulling: Promise<void> | undefined;
    const pull = (): Promise<void> => {
      onPulled(reference);
      return engine.pull(reference, signal, ports.store.login);
    };
    const pulled = pullingRunner(runner, () => (pulling ??= pull()));
    const report = await ports.testImage({ planned, stored, reference, runner: pulled }, signal);
    reporter.output('test', reportText(report));
    if (report.findings.length > 0) throw testsFailed(planned, report);
  });
}

/** A runner that calls `pull` before each container. */
function pullingRunner(runner: ContainerRunner, pull: () => Promise<void>): ContainerRunner {
  return {
    run: async (spec, options) => {
      await pull();
      return runner.run(spec, options);
    },
    start: async (spec) => {
      await pull();
      return runner.start(spec);
    },
    attach: async (spec, options) => {
      await pull();
      return runner.attach(spec, options);
    },
  };
}

function testsFailed({ image }: PlannedImage, { findings }: TestReport): CcpError {
  return new CcpError({
    code: 'image-tests-failed',
    message: [
      `the tests of ${image} failed with ${counted(findings.length, 'finding')}:`,
      ...findings.map(({ message }) => `- ${message}`),
    ].join('\n'),
    hint: 'fix the image, or "tests" in its definition; the image was not added to the image set',
  });
}

function reportText({ checks, findings, repeated = [] }: TestReport): string {
  return [
    ...repeated.map((name) => `${name}: exceeded its time limit and was run again alone`),
    ...findings.map(({ check, message }) => `${check}: ${message}`),
    `${counted(checks.length, 'check')}, ${counted(findings.length, 'finding')}`,
    '',
  ].join('\n');
}
