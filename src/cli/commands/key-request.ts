import { setTimeout as delay } from 'node:timers/promises'
import { renderUnicodeCompact } from 'uqr'
import type { AnswerOf } from '../../client/client.ts'
import { follow } from '../../client/follow.ts'
import type { PlatformOperations } from '../../client/generated/platform.ts'
import { createPlatform } from '../../client/interfaces.ts'
import { getJson } from '../client.ts'
import { Failure } from '../failure.ts'
import { note } from '../output.ts'
import { at } from './network.ts'
import type { PlatformTarget } from './platform.ts'

// Shared by both sides of a signed key request: reading it and waiting until it is final.

type Reads = PlatformOperations['get']
export type KeyRequest = AnswerOf<Reads, '/v2/signed-key-request'>['result']['signedKeyRequest']
/** A request as the approval page shows it. */
export type Details = AnswerOf<Reads, '/v2/signed-key-request-approval'>['result']['approval']

const POLL_MS = 2_000
/** A stream is reopened after this long, so that a dead connection is noticed. */
const STREAM_MS = 300_000
/** An approval at the deadline still takes time to be confirmed. */
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
  new Failure(`${platform} does not know this request; requests are deleted one day after they end`)

async function findDetails(
  { platform }: PlatformTarget,
  token: string,
  userFid?: number,
): Promise<Details | undefined> {
  const user = userFid === undefined ? '' : `&fid=${userFid}`
  const path = `/v2/signed-key-request-approval?token=${token}${user}`
  return (await getJson(at(platform, path)))?.result.approval
}

/** Waits until a request is final; notes its approval on standard error. */
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
      if (request.state === 'pending' && (request.now ?? 0) > deadline) throw tooLate()
      if (request.state === 'approved' && told !== 'approved') {
        note(`fid ${request.userFid} has approved; waiting for confirmation of the key`)
      }
      told = request.state
    }
    await delay(pollMs)
  }
  throw tooLate()
}

const tooLate = () => new Failure('the request was not approved before its deadline')

/** The states from the event stream or, when that is unavailable, the present state. */
async function* statesOf(
  options: PlatformTarget,
  token: string,
): AsyncGenerator<KeyRequest & { readonly now?: number }> {
  let count = 0
  for await (const request of streamOf(options, token)) {
    count += 1
    yield request
  }
  if (count > 0) return
  yield* await nowOf(options, token)
}

/** A server that is unreachable for a while, as during a restart, does not end the wait. */
async function nowOf(options: PlatformTarget, token: string): Promise<Details[]> {
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

async function* streamOf(
  { platform: url }: PlatformTarget,
  token: string,
): AsyncGenerator<KeyRequest> {
  const options = { once: true, signal: AbortSignal.timeout(STREAM_MS) }
  try {
    const path = '/v2/signed-key-request-events'
    for await (const { data } of follow(createPlatform({ url }), path, { token }, options)) {
      yield data.result.signedKeyRequest
    }
  } catch {
    // The connection was lost: the caller polls and reopens the stream.
  }
}

export const isOver = ({ state }: KeyRequest): boolean =>
  state !== 'pending' && state !== 'approved'

/** Throws a Failure unless the request is completed. */
export function checkCompleted({ state, reason, revertError }: KeyRequest): void {
  if (state === 'completed') return
  if (state === 'denied') throw new Failure('the user has declined the request')
  const why = revertError?.name ?? reason
  throw new Failure(`the request has ${state}${why === undefined ? '' : `: ${why}`}`)
}

/** Width of the quiet zone around a QR code, which scanners require. */
const QR_BORDER = 2

/** A link as a QR code for a terminal with a dark background. */
export const qrCode = (url: string): string => renderUnicodeCompact(url, { border: QR_BORDER })
