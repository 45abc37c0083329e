import { afterEach, expect, it, vi } from 'vitest';
import { processOutput } from '../report/output.ts';
import { installPackages } from './engines.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const PACKAGES = ['chromium', 'skopeo'];
const hint = 'run as root: apt-get install --no-install-recommends chromium skopeo';

it.each([
  [1000, 'ccp needs root to install them'],
  [0, 'without a terminal, ccp cannot ask (use --yes)'],
])('refuses to install packages as user %i without a terminal', async (user, reason) => {
  vi.stubEnv('CI', undefined);
  vi.stubEnv('CCP_YES', undefined);
  vi.spyOn(process, 'getuid').mockReturnValue(user);
  vi.spyOn(process, 'stdin', 'get').mockReturnValue({ isTTY: false } as never);
  const output = { ...processOutput({ quiet: true }), info: vi.fn<(text: string) => void>() };
  await expect(installPackages(PACKAGES, output, false)).rejects.toMatchObject({
    code: 'machine-package',
    message: `these packages are not installed: chromium, skopeo; ${reason}`,
    hint,
  });
  expect(output.info).toHaveBeenCalledWith('missing Debian packages: chromium skopeo');
});
