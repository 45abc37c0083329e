import { expect } from 'vitest';
import { ccp, REPOSITORY } from './ccp.ts';

const LONGEST_WAIT_MS = 2_400_000;
const PAUSE_MS = 2000;

/**
 * Builds images of this repository, after other builds in it have ended; fails with the output of
 * the build.
 */
export async function buildImages(series: string, ...images: readonly string[]): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const built = await ccp(REPOSITORY, ['build', ...images, '--series', series, '--yes']);
    if (!built.stderr.includes('the image store is in use by process') || Date.now() > deadline) {
      expect(built, built.stderr).toMatchObject({ exitCode: 0 });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
