import type { HttpConfig } from '../http/settings.ts'
import type { Mode } from '../setting.ts'

/** What an operator should know at the start, a sentence each: settings that are allowed and often a mistake. */
export function startWarnings(
  mode: Mode,
  config: Pick<HttpConfig, 'publicUrl' | 'trustedProxies'> & {
    readonly platformPublicUrl: string | undefined
  },
): string[] {
  if (mode === 'development') return []
  const { publicUrl, platformPublicUrl, trustedProxies } = config
  const isPublished = publicUrl?.startsWith('https:') || platformPublicUrl?.startsWith('https:')
  return [
    ...(publicUrl || platformPublicUrl
      ? []
      : [
          'ROOKERY_PUBLIC_URL is not set: links to approve keys name the address of this machine, which users cannot open',
        ]),
    // TLS ends at a proxy, because this program speaks plain HTTP.
    ...(isPublished && trustedProxies.length === 0
      ? [
          'ROOKERY_TRUSTED_PROXIES is not set, and the public URL is https: all clients have the address of the proxy and share its limits',
        ]
      : []),
  ]
}
