import { quantity } from './quantity.ts';

/**
 * Why an amount of memory does not fit below a container's limit, as a clause after its name;
 * `undefined` if it fits. Amounts have the units of services: `768MiB`, `256M` and `256k` are
 * powers of 1024, `500MB` of 1000; a number is in MiB. The limit is a Kubernetes quantity.
 */
export function memoryFault(
  amount: string | number | boolean,
  limit: string | undefined,
): string | undefined {
  if (limit === undefined) return undefined;
  const [, digits = '', letter = '', suffix] =
    /^([0-9]+)([kKMGT]?)(i?B)?$/.exec(
      typeof amount === 'number' ? `${amount}MiB` : String(amount),
    ) ?? [];
  const unit = suffix === 'B' ? letter.replace('K', 'k') : `${letter.toUpperCase()}i`;
  const bytes = quantity(`${digits}${letter === '' ? '' : unit}`);
  if (!(bytes >= quantity(limit))) return undefined;
  return `is ${amount}${typeof amount === 'number' ? ' MiB' : ''}, but the memory limit of its container is ${limit}`;
}
