import Type, { type Static } from 'typebox'
import type { Services } from '../../app.ts'
import { readAssociation } from '../../features/mini-apps/association.ts'
import { readEmbed } from '../../features/mini-apps/embed.ts'
import { Fault, isError } from '../../features/mini-apps/faults.ts'
import { fetchManifest, isVerifiedAddress } from '../../features/mini-apps/inspection.ts'
import { readManifest } from '../../features/mini-apps/manifest.ts'
import type { Manifest } from '../../features/mini-apps/manifest-fields.ts'
import { readHead } from '../../features/web/previews/page-head.ts'
import { originOf, readDomain } from '../../kernel/base/web-domain.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { frameFaults, iconFaults, readPage } from './page-checks.ts'

// Everything that is wrong about a mini app, with what to do, before it is published.

/** Names of services that lend an address to a program of this machine. */
const TUNNELS =
  /(?:^|\.)(?:ngrok(?:-free)?\.(?:app|dev|io)|trycloudflare\.com|loca\.lt|lhr\.life|serveo\.net|tunnelmole\.net)$/i

export const Report = Type.Object(
  {
    url: Type.String(),
    domain: Type.String(),
    manifest: Type.Optional(Type.Unknown({ description: 'Its checked fields.' })),
    association: Type.Optional(
      Type.Object({ fid: Type.Integer() }, { description: 'Who has signed the domain.' }),
    ),
    embed: Type.Optional(
      Type.Unknown({ description: 'The card that a link to the page becomes.' }),
    ),
    headers: Type.Object({
      xFrameOptions: Type.Optional(Type.String()),
      frameAncestors: Type.Optional(Type.String()),
    }),
    faults: Type.Array(Fault),
    isReady: Type.Boolean({ description: 'Whether there is no error, only warnings.' }),
  },
  { $id: 'MiniAppReport' },
)
export type Report = Static<typeof Report>

/** Examines the app at an address as the host of `web`, the front door, would show it. */
export async function reportOn(services: Services, text: string, web: string): Promise<Report> {
  const url = URL.parse(text)
  const domain = url && readDomain(url.host, true)
  if (!url || !domain || !/^https?:$/.test(url.protocol)) {
    const message = 'url must be that of a page, such as http://localhost:3000'
    throw new Rejection('bad_request.invalid_param', message, { field: 'url' })
  }
  const [named, paged] = await Promise.all([manifestOf(services, domain), pageReport(url, web)])
  const faults = [...named.faults, ...paged.faults]
  if (paged.isRead && !paged.embed && !paged.hasTag) faults.push(NO_EMBED)
  return {
    url: url.href,
    domain,
    ...(named.manifest && { manifest: named.manifest }),
    ...(named.association && { association: named.association }),
    ...(paged.embed && { embed: paged.embed }),
    headers: paged.headers,
    faults,
    isReady: !faults.some(isError),
  }
}

const NO_EMBED: Fault = {
  severity: 'warning',
  code: 'embed',
  message: 'The page has no meta tag fc:miniapp: a link to it in a cast is a plain link',
  fix: 'Add <meta name="fc:miniapp" content=\'{"version":"1","imageUrl":"…","button":{"title":"Open","action":{"type":"launch_miniapp","name":"…"}}}\'>.',
}

type NamedReport = {
  readonly faults: readonly Fault[]
  readonly manifest?: Manifest | undefined
  readonly association?: { readonly fid: number }
}

async function manifestOf(services: Services, domain: string): Promise<NamedReport> {
  const fetched = await fetchManifest(domain, true)
  if ('fault' in fetched) return { faults: [fetched.fault] }
  const terms = { domain, allowLoopback: true, anyHome: false }
  const { manifest, faults: found } = readManifest(fetched.document, terms)
  const faults = [...found]
  const { accountAssociation } = (fetched.document ?? {}) as { accountAssociation?: unknown }
  const association = await readAssociation(accountAssociation, domain, {
    accounts: services.accounts,
    verify: services.platform.verify,
    isVerified: (fid, address) => isVerifiedAddress(services.storage, fid, address),
    isHidden: async () => false,
  })
  // A development network runs unsigned apps.
  if ('fault' in association) faults.push({ ...association.fault, severity: 'warning' })
  if (manifest) {
    if (manifest.webhookUrl === undefined) faults.push(NO_WEBHOOK)
    if (TUNNELS.test(new URL(manifest.homeUrl).hostname)) faults.push(tunnel(manifest.homeUrl))
    faults.push(...(await iconFaults(manifest.iconUrl)), ...(await otherDomain(domain)))
  }
  return {
    manifest,
    faults,
    ...(!('fault' in association) && { association: { fid: association.fid } }),
  }
}

const NO_WEBHOOK: Fault = {
  severity: 'warning',
  code: 'webhook',
  path: 'miniapp.webhookUrl',
  message: 'is missing: the app learns of no token, so it cannot notify people who are not in it',
  fix: 'Add "webhookUrl", unless the app notifies nobody.',
}

const tunnel = (homeUrl: string): Fault => ({
  severity: 'warning',
  code: 'tunnel',
  path: 'miniapp.homeUrl',
  message: `${new URL(homeUrl).hostname} is a tunnel, whose name changes`,
  fix: 'Use http://localhost:3000 here, and a domain of your own in production.',
})

/** With and without `www.` are two apps, whose users and tokens are apart. */
async function otherDomain(domain: string): Promise<Fault[]> {
  const other = domain.startsWith('www.') ? domain.slice(4) : `www.${domain}`
  if (/^(?:localhost|[\d.]+|\[)/.test(domain) || readDomain(other, false) === undefined) return []
  const fetched = await fetchManifest(other, false)
  if ('fault' in fetched) return []
  return [
    {
      severity: 'warning',
      code: 'other_domain',
      message: `${other} answers with a manifest too, and is another app`,
      fix: `Redirect its pages to ${originOf(domain)}, and use one of both in every targetUrl.`,
    },
  ]
}

async function pageReport(url: URL, web: string) {
  const { page, faults } = await readPage(url)
  if (!page) return { faults, headers: {}, isRead: false, hasTag: false }
  const { miniApp } = readHead(page.html)
  const read =
    miniApp === undefined ? undefined : readEmbed(miniApp, page.url, { allowLoopback: true })
  const { xFrameOptions, frameAncestors } = page
  return {
    faults: [...faults, ...frameFaults(page, web), ...(read?.faults ?? [])],
    embed: read?.embed,
    hasTag: read !== undefined,
    isRead: true,
    headers: {
      ...(xFrameOptions !== undefined && { xFrameOptions }),
      ...(frameAncestors !== undefined && { frameAncestors }),
    },
  }
}
