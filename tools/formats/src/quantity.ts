const UNITS: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The value of a Kubernetes quantity such as `250m`, `512Mi` or `1.5`; NaN if it is invalid. */
export function quantity(text: string): number {
  const [, digits = '', unit = ''] = /^([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)$/.exec(text) ?? [];
  return digits === '' ? NaN : Number(digits) * (unit === '' ? 1 : (UNITS[unit] ?? NaN));
}
