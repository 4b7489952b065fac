import { setTimeout as delay } from 'node:timers/promises'
import { renderUnicodeCompact } from 'uqr'
import { getJson } from './client.ts'
import { Failure } from './failure.ts'
import { at } from './network.ts'
import { note } from './output.ts'
import type { PlatformTarget } from './platform.ts'

// What both sides of a signed key request do: read it, and wait for its end.

/** As the platform gives it. */
export type KeyRequest = {
  readonly token: string
  readonly approvalUrl: string
  readonly deeplinkUrl: string
  readonly key: string
  readonly requestFid: number
  readonly state: 'pending' | 'approved' | 'completed' | 'denied' | 'failed'
  readonly userFid?: number
  readonly reason?: string
  readonly revertError?: { readonly name: string }
}

/** What the platform tells a user of a request. */
export type Details = KeyRequest & {
  readonly now: number
  readonly deadline: number
  readonly app: { readonly fid: number; readonly username?: string }
  readonly keyState?: 'none' | 'active' | 'removed'
  readonly typedData?: {
    readonly domain: object
    readonly message: Readonly<Record<string, unknown>>
  }
}

const POLL_MS = 2_000
/** A stream is left and opened anew after this long, so that a dead connection is noticed. */
const STREAM_MS = 300_000
/** What a user signs at the last moment takes a while to be confirmed. */
const CONFIRMATION_SECONDS = 3_600

export async function getDetails(
  options: PlatformTarget,
  token: string,
  userFid?: number,
): Promise<Details> {
  const details = await findDetails(options, token, userFid)
  if (details) return details
  throw unknownRequest(options)
}

const unknownRequest = ({ platform }: PlatformTarget) =>
  new Failure(`${platform} knows no such request; a day after its end it forgets one`)

async function findDetails(
  { platform }: PlatformTarget,
  token: string,
  userFid?: number,
): Promise<Details | undefined> {
  const user = userFid === undefined ? '' : `&fid=${userFid}`
  const path = `/v2/signed-key-request-approval?token=${token}${user}`
  return (await getJson(at(platform, path)))?.result.approval
}

/** Waits until a request has come to its end; says so when its user has approved it. */
export async function waitForEnd(
  options: PlatformTarget,
  token: string,
  pollMs = POLL_MS,
): Promise<KeyRequest> {
  const { now, deadline } = await getDetails(options, token)
  const until = performance.now() + (deadline - now + CONFIRMATION_SECONDS) * 1000
  let told = ''
  while (performance.now() < until) {
    for await (const request of statesOf(options, token)) {
      if (isOver(request)) return request
      if (request.state === 'approved' && told !== 'approved') {
        note(`fid ${request.userFid} has approved; the key is on its way`)
      }
      told = request.state
    }
    await delay(pollMs)
  }
  throw new Failure('nobody approved the request before its deadline')
}

/** Those of a stream or, where there is none to be had, the one there is now. */
async function* statesOf(options: PlatformTarget, token: string): AsyncGenerator<KeyRequest> {
  let count = 0
  for await (const request of streamOf(options, token)) {
    count += 1
    yield request
  }
  if (count > 0) return
  yield* await nowOf(options, token)
}

/** A server that is away for a while, as when it is started anew, is not the end of a request. */
async function nowOf(options: PlatformTarget, token: string): Promise<KeyRequest[]> {
  let details: Details | undefined
  try {
    details = await findDetails(options, token)
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
  if (details) return [details]
  throw unknownRequest(options)
}

async function* streamOf({ platform }: PlatformTarget, token: string): AsyncGenerator<KeyRequest> {
  const url = at(platform, `/v2/signed-key-request-events?token=${token}`)
  try {
    const { ok, body } = await fetch(url, { signal: AbortSignal.timeout(STREAM_MS) })
    if (!ok || !body) return
    let rest = ''
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)).result.signedKeyRequest
      }
    }
  } catch {
    // Cut off: whoever waits asks again.
  }
}

export const isOver = ({ state }: KeyRequest): boolean =>
  state !== 'pending' && state !== 'approved'

/** Throws a sentence unless the request ended as everybody hoped. */
export function checkCompleted({ state, reason, revertError }: KeyRequest): void {
  if (state === 'completed') return
  if (state === 'denied') throw new Failure('the user has declined the request')
  const why = revertError?.name ?? reason
  throw new Failure(`the request has ${state}${why === undefined ? '' : `: ${why}`}`)
}

/** Quiet modules around a QR code, without which cameras do not find it. */
const QR_BORDER = 2

/** A link for the camera of a phone, on a dark terminal. */
export const qrCode = (url: string): string => renderUnicodeCompact(url, { border: QR_BORDER })
