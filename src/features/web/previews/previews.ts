import { formatOf } from '../../../kernel/base/pictures/formats.ts'
import type { OutgoingFile } from '../../../kernel/http/files/outgoing-file.ts'
import { checkUrl } from '../../../kernel/http/outgoing.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { HOUR_MS } from '../../../kernel/protocol/time.ts'
import type { MiniAppCard } from '../../mini-apps/port.ts'
import {
  ACCEPT,
  isSnapType,
  MAX_SNAP_BYTES,
  type ReadPage,
  readAnswer,
  type SayLater,
  SNAP_TYPE,
  type SnapPage,
  type Snaps,
  snapLink,
} from '../../snaps/port.ts'
import { createOutcomeCache } from '../remote/outcome-cache.ts'
import {
  browserRedirects,
  CHARGED_BYTES_OF_FETCH,
  type SiteFiles,
  SMALL_BYTES,
  URL_FIELD,
} from '../remote/site-files.ts'
import { type PageHead, readHead } from './page-head.ts'
import { textOf, XHTML_TYPE } from './page-text.ts'

// Previews of links, from the metadata of their pages.

/** About 8,000 previews. */
const CACHE_BYTES = 8 * 1024 * 1024
const REFUSAL_TTL_MS = 5 * 60_000
const MAX_TYPE_CHARACTERS = 200
/** UTF-16, as strings are kept. */
const BYTES_PER_CHARACTER = 2

export type Preview = {
  /** Whether the link leads to a page or to a picture itself. */
  readonly kind: 'page' | 'picture'
  readonly url: string
  /** As the site states it. */
  readonly contentType: string
  readonly title?: string
  readonly description?: string
  /** The URL of a picture, to be shown through the picture proxy. */
  readonly picture?: string
  /** What the site calls itself, else its host. */
  readonly site: string
  /** The card of a mini app that the page is. */
  readonly miniApp?: MiniAppCard
  /** The first page of the snap that the link leads to, or the version of one that is newer. */
  readonly snap?: { readonly url: string; readonly page?: SnapPage; readonly newerVersion?: string }
  /** A snap of this server, which was read now. */
  readonly isOwn?: true
}

/** Reads the tag of a page; undefined when it is not valid. */
export type ReadCard = (content: string, page: URL) => MiniAppCard | undefined

export type PreviewRequest = {
  readonly url: URL
  readonly ip: string
  /** To who asks. */
  readonly say: SayLater
  /** Charges the client for bytes that were read. */
  readonly consume: (bytes: number) => void
}

/** Used by the front door and by other interfaces. */
export type Previews = {
  get(request: PreviewRequest): Promise<Preview>
  /** The snaps of these links that are known here, by link: no other server is asked. */
  knownSnaps(
    urls: readonly string[],
    say: SayLater,
  ): Promise<ReadonlyMap<string, NonNullable<Preview['snap']>>>
}

export function createPreviews(
  files: SiteFiles,
  {
    allowLoopback,
    readCard,
    snaps,
  }: {
    allowLoopback: boolean
    readCard: ReadCard
    snaps: Pick<Snaps, 'blockedHosts' | 'isOwn' | 'ownPages'>
  },
): Previews {
  const cache = createOutcomeCache<Preview>({
    maxBytes: CACHE_BYTES,
    bytesOf: (preview) => JSON.stringify(preview).length * BYTES_PER_CHARACTER,
    ttlMs: 6 * HOUR_MS,
    refusalTtlMs: REFUSAL_TTL_MS,
  })
  const isFetchable = (url: URL) => {
    try {
      checkUrl(url, { allowLoopback, field: URL_FIELD })
      return true
    } catch {
      return false
    }
  }
  const fetch = <T>(
    { ip, consume }: PreviewRequest,
    url: URL,
    use: (file: OutgoingFile) => T | Promise<T>,
  ) => {
    const request = {
      ip,
      accept: ACCEPT,
      // The head of a page is at its beginning; the rest is not read.
      maxBytes: SMALL_BYTES,
      isCut: true,
      mayBreakOff: true,
      redirects: browserRedirects(consume),
      refuseType,
    }
    return files.fetch(url, request, use)
  }
  const mayShow = async ({ host }: URL) => !(await snaps.blockedHosts([host])).has(host)
  /** The snap of a link: the file itself, or another that its headers name. */
  const snapOf = async (request: PreviewRequest, file: OutgoingFile) => {
    if (!(await mayShow(file.url))) return undefined
    if (isSnapType(file.type)) return readSnap(file, allowLoopback)
    const link = snapLink(file.link, file.url)
    if (!link || !isFetchable(link) || !(await mayShow(link))) return undefined
    request.consume(CHARGED_BYTES_OF_FETCH)
    return fetch(request, link, (other) =>
      isSnapType(other.type) ? readSnap(other, allowLoopback) : undefined,
    ).catch((error) => {
      // That it gave way to others says nothing about the snap, and is not kept.
      if (error instanceof Rejection && error.code.startsWith('unavailable')) throw error
      return undefined
    })
  }
  const make = (request: PreviewRequest): Promise<Preview> =>
    fetch(request, request.url, async (file) => {
      request.consume(file.bytes.length)
      const snap = await snapOf(request, file)
      const preview = previewOf(request.url, file, isFetchable, readCard)
      return snap ? { ...preview, snap } : preview
    })
  /** Reading a snap of this server costs no connection, so it is always read again. */
  const ownPreview = async (url: URL, say: SayLater): Promise<Preview> => {
    const own = (await snaps.ownPages([url], say)).get(url.href)
    if (!own) {
      const text = `there is nothing at ${url.pathname} of this server`
      throw new Rejection('not_found', text, { field: URL_FIELD })
    }
    const { title, description, page } = own
    const snap = { url: url.href, page }
    const told = { title, description, site: url.host, snap }
    return { kind: 'page', url: url.href, contentType: SNAP_TYPE, ...told, isOwn: true }
  }
  /** A page and the snap that it names may be at two hosts. */
  const hostsOf = ({ url, snap }: Preview): string[] =>
    snap ? [new URL(url).host, new URL(snap.url).host] : []
  return {
    async get(request) {
      if (snaps.isOwn(request.url)) return ownPreview(request.url, request.say)
      const preview = await cache.get(
        request.url.href,
        (work) => files.runLimited(request, work),
        () => make(request),
      )
      // An operator may have blocked a host since its snap was read.
      const hosts = hostsOf(preview)
      const blocked = await snaps.blockedHosts(hosts)
      const { snap: _, ...link } = preview
      return hosts.some((host) => blocked.has(host)) ? link : preview
    },
    async knownSnaps(urls, say) {
      const links = urls.flatMap((link) => {
        const url = URL.parse(link)
        if (url) url.hash = ''
        return url ? [{ link, url }] : []
      })
      const own = await snaps.ownPages(
        links.map(({ url }) => url),
        say,
      )
      const known = links.flatMap(({ link, url }) => {
        const page = own.get(url.href)?.page
        if (page) return [{ link, snap: { url: url.href, page }, hosts: [] }]
        const preview = cache.peek(url.href)
        return preview?.snap ? [{ link, snap: preview.snap, hosts: hostsOf(preview) }] : []
      })
      const hosts = new Set(known.flatMap((one) => one.hosts))
      const blocked = hosts.size === 0 ? hosts : await snaps.blockedHosts([...hosts])
      const shown = known.filter((one) => !one.hosts.some((host) => blocked.has(host)))
      return new Map(shown.map(({ link, snap }) => [link, snap]))
    },
  }
}

const isPicture = (type: string) => /^image\//i.test(type)

function refuseType(type: string): string | undefined {
  if (isPicture(type) || /^text\/html\b/i.test(type) || XHTML_TYPE.test(type)) return undefined
  if (isSnapType(type)) return undefined
  return 'did not answer with a page or a picture'
}

function previewOf(
  asked: URL,
  file: OutgoingFile,
  isFetchable: (url: URL) => boolean,
  readCard: ReadCard,
): Preview {
  const { host } = asked
  const contentType = file.type.slice(0, MAX_TYPE_CHARACTERS)
  if (isPicture(file.type)) {
    const picture = formatOf(file.bytes) && { picture: asked.href }
    if (file.failure && !picture) throw file.failure
    return { kind: 'picture', url: asked.href, contentType, site: host, ...picture }
  }
  if (isSnapType(file.type)) return { kind: 'page', url: asked.href, contentType, site: host }
  const head = readHead(textOf(file))
  if (file.failure && !head.isComplete) throw file.failure
  const { title, description, site, miniApp } = head
  const card = miniApp === undefined ? undefined : readCard(miniApp, file.url)
  const picture = pictureOf(head, file.url, isFetchable)
  return {
    kind: 'page',
    url: asked.href,
    contentType,
    site: site ?? host,
    ...(title && { title }),
    ...(description && { description }),
    ...(picture && { picture }),
    ...(card && { miniApp: card }),
  }
}

/** The first page of a snap. One that cannot be drawn is a plain link. */
function readSnap({ url, bytes, failure }: OutgoingFile, allowLoopback: boolean): Preview['snap'] {
  if (failure) throw failure
  if (bytes.length > MAX_SNAP_BYTES) return undefined
  const { page, newerVersion }: ReadPage = readAnswer(bytes, { allowLoopback })
  if (!page && !newerVersion) return undefined
  return { url: url.href, ...(page && { page }), ...(newerVersion && { newerVersion }) }
}

/** The first picture of a page that `/picture` could show. */
function pictureOf(
  { pictures, base }: PageHead,
  page: URL,
  isFetchable: (url: URL) => boolean,
): string | undefined {
  const from = baseOf(base, page)
  for (const picture of pictures) {
    const url = URL.parse(picture, from)
    if (url && isFetchable(url) && !/\.svgz?$/i.test(url.pathname)) return url.href
  }
  return undefined
}

/** What relative URLs of a page are relative to (HTML standard, 4.2.3). */
function baseOf(base: string | undefined, page: URL): string {
  const stated = base === undefined ? null : URL.parse(base, page.href)
  return stated && /^https?:$/.test(stated.protocol) ? stated.href : page.href
}
