import { proxiesOf } from '#host';

/** Variables that a tool inherits from this process, in addition to the proxies. */
const PASSED_ON = /^(?:PATH|HOME|TMPDIR|SSL_CERT_FILE|SSL_CERT_DIR)$/i;

/**
 * The environment of every tool: proxies, a fixed locale and time zone, and no configuration of the
 * user. Throws the errors of `proxiesOf`.
 */
export function toolEnvironment(extra: Readonly<Record<string, string>>): Record<string, string> {
  const passed = Object.entries(process.env).filter(
    ([name, value]) => PASSED_ON.test(name) && value !== undefined,
  );
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    ...proxiesOf(process.env),
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    ...extra,
  };
}
