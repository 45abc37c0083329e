import { JsonReporter } from 'vitest/node';

/** Vitest's JSON reporter without its line about the file, which is temporary here. */
export default class FileReporter extends JsonReporter {
  override onInit(...[vitest]: Parameters<JsonReporter['onInit']>): void {
    super.onInit(vitest);
    const logger = Object.create(vitest.logger) as typeof vitest.logger;
    logger.log = () => undefined;
    this.ctx = Object.create(vitest, { logger: { value: logger } }) as typeof vitest;
  }
}
