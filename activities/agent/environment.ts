/** What any program needs to find its way: nothing here opens a door. */
const PLAIN_NAMES = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'TERM',
  'XDG_CACHE_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
];

/** The part of an environment that an agent may have: a list of names, and what `alsoAllowed` picks. */
export function allowedEnvironment(
  environment: Readonly<NodeJS.ProcessEnv>,
  alsoAllowed: (name: string) => boolean = () => false,
): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && (PLAIN_NAMES.includes(name) || alsoAllowed(name)))
      allowed[name] = value;
  return allowed;
}
