const TARGETS = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const

/** Which servers a connection may go to, as libpq's `target_session_attrs` names them. */
export type TargetSession = (typeof TARGETS)[number]

export type DatabaseUrl = {
  /** The URL of each host, in the order given. */
  readonly hosts: readonly string[]
  readonly target: TargetSession
}

const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * Parses `postgres://user:password@host1:5432,host2:5432/name?target_session_attrs=read-write`.
 * With several hosts the target is `read-write` unless given, so that after a failover the new primary is
 * found; with one host it is `any`. A host that is not this machine is verified by TLS unless the URL has an
 * `sslmode`. Throws an Error whose message does not repeat the text, which may
 * hold a password.
 */
export function parseDatabaseUrl(text: string, defaultTarget?: TargetSession): DatabaseUrl {
  const [, start = '', authority = '', rest = ''] = AUTHORITY.exec(text) ?? []
  const hosts = authority.split(',').map((host) => `${start}${host}${rest}`)
  if (start === '' || !hosts.every((host) => URL.canParse(host))) {
    throw new Error('must be a URL like postgres://user:password@host:5432/name')
  }
  const urls = hosts.map((host) => new URL(host))
  const given = urls[0]?.searchParams.get('target_session_attrs')
  const target = given ?? defaultTarget ?? (urls.length > 1 ? 'read-write' : 'any')
  if (!isTarget(target)) {
    throw new Error(`must have one of ${TARGETS.join(', ')} as target_session_attrs`)
  }
  for (const url of urls) {
    const { searchParams } = url
    searchParams.delete('target_session_attrs')
    if (!searchParams.has('sslmode') && !isLocal(url)) searchParams.set('sslmode', 'verify-full')
    // The meaning that psql gives to sslmode: "require" encrypts, "verify-full" also checks the name.
    if (searchParams.has('sslmode')) searchParams.set('uselibpqcompat', 'true')
  }
  return { hosts: urls.map(({ href }) => href), target }
}

/** This machine: a socket directory or a loopback address. */
function isLocal({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? hostname
  return host === '' || host.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
}

const isTarget = (text: string): text is TargetSession =>
  (TARGETS as readonly string[]).includes(text)
