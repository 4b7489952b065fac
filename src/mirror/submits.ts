import type { Clock } from '../base/clock.ts'
import type { Hub } from '../hub/hub.ts'
import type { CheckedRow } from '../hub/submit/candidate.ts'
import type { SubmitOutcome } from '../hub/submit/pipeline.ts'
import { ConcurrencyLimit } from '../limits/concurrency.ts'
import { equalBytes } from '../protocol/codec/bytes.ts'
import { decodeMessage } from '../protocol/codec/decode.ts'
import { encodeEnvelope } from '../protocol/codec/envelope.ts'
import { Rejection, type RejectionCode } from '../protocol/rejection.ts'
import type { Storage } from '../storage/storage.ts'
import type { MirrorOutbox } from '../storage/tables/mirror/mirror.ts'
import { type MirrorContext, writeAsLeader } from './context.ts'
import { placeOf } from './events.ts'
import { GrpcError, STATUS } from './grpc-client.ts'
import type { MirrorMetrics } from './metrics.ts'
import type { Source } from './source.ts'

// Submits of clients of a mirror go to its source first. A 200 means: accepted there and stored here.

/** Submits that wait for the source at a time. */
const MAX_WAITING = 1_000
const RETRY_SECONDS = 5
/** Milliseconds until a submit that no event confirmed is sent again, by how often it was sent. */
const RESEND_MS = [60_000, 300_000, 540_000]
const RESENT_AT_ONCE = 100

/** The source could not be asked, or did not say what became of a message. */
const unknownOutcome = (text: string): Rejection =>
  new Rejection('unavailable', `${text}: nothing was stored here; submit it again`, {
    retryAfterSeconds: RETRY_SECONDS,
  })

/** Codes with which a hub refuses a message that it has looked at. */
const REFUSALS: ReadonlySet<string> = new Set<RejectionCode>([
  'unauthorized',
  'bad_request',
  'bad_request.parse_failure',
  'bad_request.invalid_param',
  'bad_request.validation_failure',
  'bad_request.unknown_fid',
  'bad_request.unknown_signer',
  'bad_request.no_storage',
  'bad_request.conflict',
  'bad_request.prunable',
  'bad_request.blocked',
  'rate_limited',
])
const ANSWERED: ReadonlySet<number> = new Set([
  STATUS.invalidArgument,
  STATUS.notFound,
  STATUS.alreadyExists,
  STATUS.failedPrecondition,
])
const NO_ENTRY: ReadonlySet<number> = new Set([STATUS.unauthenticated, STATUS.permissionDenied])

type ForwarderOptions = {
  readonly hub: Pick<Hub, 'mirror' | 'validate'>
  readonly storage: Storage
  readonly source: Pick<Source, 'submit' | 'host'>
  readonly clock: Clock
  readonly metrics: MirrorMetrics
}

export class Forwarder {
  readonly #options: ForwarderOptions
  readonly #waiting = new ConcurrencyLimit({ total: MAX_WAITING, perClient: MAX_WAITING })

  constructor(options: ForwarderOptions) {
    this.#options = options
  }

  /** The outcome of each message, in order. */
  submit(bodies: readonly Uint8Array[]): Promise<SubmitOutcome[]> {
    return Promise.all(bodies.map((body) => this.#submit(body)))
  }

  async #submit(body: Uint8Array): Promise<SubmitOutcome> {
    if (!this.#waiting.tryAcquire('')) return refusal(unknownOutcome('too many submits wait'))
    try {
      return await this.#forward(body)
    } catch (error) {
      if (error instanceof Rejection) return refusal(error)
      throw error
    } finally {
      this.#waiting.release('')
    }
  }

  async #forward(body: Uint8Array): Promise<SubmitOutcome> {
    const { hub, source, metrics } = this.#options
    const message = decodeMessage(body)
    // What is wrong costs the source nothing.
    const verdict = await hub.validate(message)
    if (!verdict.valid) throw verdict.reason
    const bytes = encodeEnvelope(message)
    const refused = await sendTo(source, bytes)
    metrics.submit(refused ? (isUnknown(refused) ? 'unknown' : 'refused') : 'accepted')
    if (refused) throw refused
    return this.#store(bytes)
  }

  async #store(bytes: Uint8Array): Promise<SubmitOutcome> {
    const { hub, clock } = this.#options
    const now = clock.now()
    const { fid, hash } = decodeMessage(bytes)
    const sent = { sent_at: now, due_at: now + RESEND_MS[0]!, tries: 1 }
    const submitted = { hash: Uint8Array.from(hash), fid, bytes, ...sent }
    const [outcome] = await hub.mirror([{ merge: bytes }], { lease: undefined, submitted })
    if (outcome && 'id' in outcome) return { id: outcome.id, message: outcome.row }
    if (!outcome || !('rejection' in outcome)) throw new Error('a submit was left out')
    const { rejection, head } = outcome
    if (rejection.code !== 'bad_request.duplicate') return outcome
    // It was submitted before, or the event of the source was faster. What passed all rules of its bytes comes as a row.
    const message = head as CheckedRow
    const rows = await this.#options.storage.messages.bySlots([message.slot])
    const row = rows.find((one) => equalBytes(one.hash, message.hash))
    return row ? { id: row.id, message } : outcome
  }
}

const refusal = (rejection: Rejection): SubmitOutcome => ({ rejection, head: undefined })

const isUnknown = ({ code }: Rejection): boolean => code === 'unavailable'

/** Gives a message to the source. Returns why it was not accepted; a message that the source has is. */
async function sendTo(
  source: Pick<Source, 'submit' | 'host'>,
  bytes: Uint8Array,
): Promise<Rejection | undefined> {
  try {
    await source.submit(bytes)
    return undefined
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error
    const { code, status, message } = error
    if (code === 'bad_request.duplicate') return undefined
    if (NO_ENTRY.has(status))
      return unknownOutcome(`${source.host} refuses the keys of this server`)
    if (code !== undefined && REFUSALS.has(code)) {
      return new Rejection(code as RejectionCode, `${source.host}: ${message}`)
    }
    return ANSWERED.has(status)
      ? new Rejection('bad_request.validation_failure', `${source.host}: ${message}`)
      : unknownOutcome(`${source.host} does not answer (${message})`)
  }
}

/**
 * Sends submits again that no event has confirmed: the source says that it has them, or takes them again. Revokes those that
 * it does not take in the end.
 */
export async function resendSubmits(context: MirrorContext): Promise<void> {
  const { storage, source, clock } = context
  for (const row of await storage.mirror.outboxDue(clock.now(), RESENT_AT_ONCE)) {
    const waitMs = RESEND_MS[row.tries]
    const refused = await sendTo(source, row.bytes)
    if (refused && isUnknown(refused) && waitMs !== undefined) {
      await putAgain(context, { ...row, due_at: clock.now() + RESEND_MS[0]! })
    } else if (refused || waitMs === undefined) await revoke(context, row)
    else await putAgain(context, { ...row, due_at: clock.now() + waitMs, tries: row.tries + 1 })
  }
}

const putAgain = (context: MirrorContext, row: MirrorOutbox): Promise<void> =>
  writeAsLeader(context, (tx) => tx.mirror.updateOutbox(row))

async function revoke(context: MirrorContext, { fid, hash, bytes }: MirrorOutbox): Promise<void> {
  const { hub, lease, metrics, log } = context
  const place = placeOf(bytes)
  if (place) await hub.mirror([{ remove: { fid, ...place, reason: 'revoke' } }], { lease })
  await writeAsLeader(context, (tx) => tx.mirror.confirmSubmits([hash]))
  metrics.submit('lost')
  log.error({ fid, hash: Buffer.from(hash).toString('hex') }, 'mirror: the source lost a submit')
}
