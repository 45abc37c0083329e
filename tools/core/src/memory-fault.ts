import { quantity } from './quantity.ts';

/**
 * Why an amount of memory does not fit below a container's limit, as a clause after its name; `undefined` where it does. Amounts are as
 * services write them: `768MiB`, `256M` and `256k` count by 1024, `500MB` by 1000; a number is of MiB. The limit is Kubernetes'.
 */
export function memoryFault(amount: string | number | boolean, limit: string | undefined): string | undefined {
  if (limit === undefined) return undefined;
  const [, digits = '', letter = '', suffix] = /^([0-9]+)([kKMGT]?)(i?B)?$/.exec(typeof amount === 'number' ? `${amount}MiB` : String(amount)) ?? [];
  const unit = suffix === 'B' ? letter.replace('K', 'k') : `${letter.toUpperCase()}i`;
  const bytes = quantity(`${digits}${letter === '' ? '' : unit}`);
  if (!(bytes >= quantity(limit))) return undefined;
  return `is ${amount}${typeof amount === 'number' ? ' MiB' : ''}, and the container that it is for may take ${limit} of memory`;
}
