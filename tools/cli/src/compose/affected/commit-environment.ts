/** Variables that reading a workspace needs, and proxies. */
const KEPT = new Set([
  'PATH',
  'HOME',
  'TMPDIR',
  'CCP_CACHE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
]);

/** The environment of the code of another commit: no variable with a login, a token or a key. */
export function commitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => KEPT.has(name) && !(/proxy$/i.test(name) && value?.includes('@')),
    ),
  );
}
