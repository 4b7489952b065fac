import type { Mode } from '../../kernel/base/setting.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import { MAX_CONNECTIONS } from '../../kernel/limits/connections.ts'

/** Open files besides connections: those of the store, of threads and of files being read. */
const OTHER_FILES = 500

/** What an operator should know at the start, a sentence each: settings that are allowed and often a mistake. */
export function startWarnings(
  mode: Mode,
  config: Pick<HttpConfig, 'publicUrl' | 'trustedProxies'>,
  /** How many files and connections this process may have open. */
  openFiles: number | undefined,
): string[] {
  if (mode === 'development') return []
  const { publicUrl, trustedProxies } = config
  const isPublished = publicUrl?.startsWith('https:')
  return [
    ...(publicUrl
      ? []
      : [
          'ROOKERY_PUBLIC_URL is not set: links to approve keys name the address of this machine, which users cannot open, and there are no mini apps',
        ]),
    // TLS ends at a proxy, because this program speaks plain HTTP.
    ...(isPublished && trustedProxies.length === 0
      ? [
          'ROOKERY_TRUSTED_PROXIES is not set, and the public URL is https: all clients have the address of the proxy and share its limits',
        ]
      : []),
    ...(openFiles !== undefined && openFiles < MAX_CONNECTIONS + OTHER_FILES
      ? [
          `only ${openFiles} files and connections may be open at a time: ${MAX_CONNECTIONS} connections and the store need ${MAX_CONNECTIONS + OTHER_FILES} (LimitNOFILE= in systemd, ulimits in compose, ulimit -n in a shell)`,
        ]
      : []),
  ]
}
