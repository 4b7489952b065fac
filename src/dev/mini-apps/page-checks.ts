import type http from 'node:http'
import { imageSize } from 'image-size'
import type { Fault } from '../../features/mini-apps/faults.ts'
import { fetchFile, locationOf } from '../../kernel/http/files/outgoing-file.ts'
import { requestOutgoing } from '../../kernel/http/outgoing.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

// What the page of a mini app answers, as far as it decides whether a frame shows it.

const TIMEOUT_MS = 5_000
const MAX_PAGE_BYTES = 512 * 1024
const MAX_ICON_BYTES = 4 * 1024 * 1024
const MAX_REDIRECTS = 5
const ICON_PIXELS = 1_024
const RULES = { allowLoopback: true, field: 'url' }

export type Page = {
  /** Where it was after redirects on its origin. */
  readonly url: URL
  readonly html: string
  readonly xFrameOptions?: string
  readonly frameAncestors?: string
}

const fault = (
  severity: Fault['severity'],
  code: Fault['code'],
  [message, fix]: readonly [string, string],
  path?: string,
): Fault => ({ severity, code, ...(path !== undefined && { path }), message, fix })

/** Asks for a page as a frame does. */
export async function readPage(url: URL): Promise<{ page?: Page; faults: Fault[] }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  let at = url
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const headers = { accept: 'text/html', 'accept-encoding': 'identity' }
      const response = await requestOutgoing(at, RULES, { method: 'GET', headers, signal })
      try {
        const { statusCode = 0, headers: given } = response
        const next = locationOf(given, at)
        if (statusCode < 300 || statusCode >= 400 || !next) return await pageOf(at, response)
        if (next.origin !== at.origin) {
          const message = `${at.href} redirects to ${next.origin}, which the frame of the app does not show`
          const fix = `Answer with the page at ${at.origin}, or publish the manifest at ${next.origin}.`
          return { faults: [fault('error', 'redirect', [message, fix])] }
        }
        at = next
      } finally {
        response.destroy()
      }
    }
    const text = [
      `${url.href} redirects more than ${MAX_REDIRECTS} times`,
      'Redirect once.',
    ] as const
    return { faults: [fault('error', 'redirect', text)] }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    const fix = `Start the app, so that ${url.href} answers.`
    return { faults: [fault('error', 'unreachable', [error.message, fix])] }
  }
}

async function pageOf(
  url: URL,
  response: http.IncomingMessage,
): Promise<{ page?: Page; faults: Fault[] }> {
  const { statusCode, headers } = response
  if (statusCode !== 200) {
    const text = [`${url.href} answered ${statusCode}`, 'Answer with the page of the app.'] as const
    return { faults: [fault('error', 'unreachable', text)] }
  }
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of response) {
    pieces.push(piece)
    size += piece.length
    if (size > MAX_PAGE_BYTES) break
  }
  const xFrameOptions = headers['x-frame-options']?.toString()
  const frameAncestors = directiveIn(headers['content-security-policy']?.toString() ?? '')
  const page = {
    url,
    html: Buffer.concat(pieces).subarray(0, MAX_PAGE_BYTES).toString(),
    ...(xFrameOptions !== undefined && { xFrameOptions }),
    ...(frameAncestors !== undefined && { frameAncestors }),
  }
  return { page, faults: [] }
}

const directiveIn = (policy: string): string | undefined =>
  /(?:^|[;,])\s*frame-ancestors\s+([^;,]*)/i.exec(policy)?.[1]?.trim()

/** Whether the headers of a page let this server show it. */
export function frameFaults({ xFrameOptions, frameAncestors }: Page, host: string): Fault[] {
  const faults: Fault[] = []
  if (frameAncestors !== undefined && !allows(frameAncestors, host)) {
    const text = [
      `Content-Security-Policy: frame-ancestors ${frameAncestors} forbids this server to show the page`,
      `Send frame-ancestors ${host}, or leave frame-ancestors out.`,
    ] as const
    faults.push(fault('error', 'frame_refused', text))
  }
  // Browsers ignore the older header where the newer one is sent.
  if (frameAncestors === undefined && xFrameOptions !== undefined) {
    const text = [
      `X-Frame-Options: ${xFrameOptions} forbids every client to show the page`,
      'Remove the header X-Frame-Options from the answers of the app.',
    ] as const
    faults.push(fault('error', 'frame_refused', text))
  }
  return faults
}

function allows(sources: string, host: string): boolean {
  const own = new URL(host)
  return sources.split(/\s+/).some((source) => {
    if (source === '*' || source === own.protocol || source === own.host) return true
    return URL.parse(source)?.origin === own.origin
  })
}

/** Whether an icon is square, large and opaque. */
export async function iconFaults(iconUrl: string): Promise<Fault[]> {
  const path = 'miniapp.iconUrl'
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const request = { accept: 'image/*', maxBytes: MAX_ICON_BYTES, signal }
    const { bytes } = await fetchFile(new URL(iconUrl), RULES, request)
    const { width, height, type } = imageSize(bytes)
    const faults: Fault[] = []
    if (width !== ICON_PIXELS || height !== ICON_PIXELS) {
      const text = [
        `is ${width} × ${height} pixels`,
        `Draw it ${ICON_PIXELS} × ${ICON_PIXELS}.`,
      ] as const
      faults.push(fault('warning', 'icon', text, path))
    }
    if (type === 'png' && mayBeTransparent(bytes)) {
      const text = ['may be transparent', 'Save it without an alpha channel.'] as const
      faults.push(fault('warning', 'icon', text, path))
    }
    return faults
  } catch (error) {
    const why = error instanceof Rejection ? error.message : 'is no picture that can be read'
    return [fault('warning', 'icon', [why, 'Serve a PNG of 1024 × 1024 pixels.'], path)]
  }
}

/** Where the header of a PNG has its colour type, and the bit of it that says that there is an alpha channel. */
const COLOR_TYPE_AT = 25
const ALPHA = 4
const mayBeTransparent = (png: Uint8Array): boolean => ((png[COLOR_TYPE_AT] ?? 0) & ALPHA) !== 0
