import type { Clock } from '../../kernel/base/clock.ts'
import { checkPath } from '../../kernel/grpc/server-path.ts'
import type { Hub } from '../../kernel/hub/hub.ts'
import type { CheckedRow } from '../../kernel/hub/submit/candidate.ts'
import { headOf } from '../../kernel/hub/submit/examination.ts'
import type { Refusal, SubmitOutcome } from '../../kernel/hub/submit/pipeline.ts'
import { vouchedKey } from '../../kernel/hub/submit/vouched-key.ts'
import { ConcurrencyLimit } from '../../kernel/limits/concurrency.ts'
import { currentClient } from '../../kernel/limits/current-client.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { decodeMessage } from '../../kernel/protocol/codec/decode.ts'
import { encodeEnvelope } from '../../kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import { isStorable, slotOf } from '../../kernel/protocol/slots.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { type MirrorContext, writeAsLeader } from './context.ts'
import { VouchedKeys } from './keys/vouched-keys.ts'
import type { MirrorMetrics } from './metrics.ts'
import { placeOf } from './source/events.ts'
import { GrpcError, STATUS } from './source/grpc-client.ts'
import type { Source } from './source/source.ts'
import { type MirrorOutbox, mirrorRows } from './tables/mirror.ts'
import type { MirrorNote } from './upstream.ts'

// Submits of clients of a mirror go to its source first. A 200 means: accepted there and stored here.

/** Submits that wait for the source at a time. */
const MAX_WAITING = 1_000
/** Those of one client, so that it does not keep others out while the source is slow. */
const MAX_WAITING_OF_CLIENT = 250
/** Who submits are counted for that no request of a client has brought. */
const THIS_SERVER = 'this server'
const RETRY_SECONDS = 5
/** Milliseconds until a submit that no event confirmed is sent again, by how often it was sent. */
const RESEND_MS = [60_000, 300_000, 540_000]
const RESENT_AT_ONCE = 100
/** An unknown key is not asked for again before this time, of so many people. */
const ASK_AGAIN_MS = 10_000
const MAX_ASKED = 10_000

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
  'bad_request.mirror_loop',
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
  readonly source: Pick<Source, 'submit' | 'host' | 'gaslessKeys'>
  /** Whether the word of the source counts about keys. */
  readonly believesKeys: boolean
  /** The id of this server. */
  readonly ownId: string
  readonly clock: Clock
  readonly metrics: MirrorMetrics
}

export class Forwarder {
  readonly #options: ForwarderOptions
  readonly #vouched: VouchedKeys
  /** When the source was asked for the keys of a fid, so that wrong submits do not ask it each time. */
  readonly #askedAt = new Map<number, number>()
  readonly #waiting = new ConcurrencyLimit({ total: MAX_WAITING, perClient: MAX_WAITING_OF_CLIENT })

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#vouched = new VouchedKeys(options.source)
  }

  /** The outcome of each message, in order. `path`: the mirrors that they have come through. */
  submit(bodies: readonly Uint8Array[], path?: string): Promise<SubmitOutcome[]> {
    return Promise.all(bodies.map((body) => this.#submit(body, path)))
  }

  async #submit(body: Uint8Array, path: string | undefined): Promise<SubmitOutcome> {
    const network = currentClient() ?? THIS_SERVER
    const client = { name: network, network }
    if (!this.#waiting.tryAcquire(client)) return refusal(unknownOutcome('too many submits wait'))
    let head: Refusal['head']
    try {
      const message = decodeMessage(body)
      head = headOf(message)
      return await this.#forward(message, path)
    } catch (error) {
      if (error instanceof Rejection) return { rejection: error, head }
      throw error
    } finally {
      this.#waiting.release(client)
    }
  }

  async #forward(message: SignedMessage, path: string | undefined): Promise<SubmitOutcome> {
    const { source, metrics, ownId } = this.#options
    checkPath(path, ownId)
    // What is wrong, or stored already, costs the source nothing.
    const vouched = await this.#check(message)
    if (isStorable(message.data.type) && (await this.#isStored(message))) {
      throw new Rejection('bad_request.duplicate', 'message has already been merged')
    }
    const bytes = encodeEnvelope(message)
    const refused = await sendTo(source, bytes, path)
    metrics.submit(refused ? (isUnknown(refused) ? 'unknown' : 'refused') : 'accepted')
    if (refused) throw refused
    return this.#store(bytes, vouched)
  }

  /** Throws a Rejection unless the message is valid. Returns its key if only the source says that the author has it. */
  async #check(message: SignedMessage): Promise<ReadonlySet<string> | undefined> {
    const { hub } = this.#options
    const verdict = await hub.validate(message)
    if (verdict.valid) return undefined
    const isUnknownKey = verdict.reason.code === 'bad_request.unknown_signer'
    const vouched = isUnknownKey ? await this.#vouchedKeyOf(message) : undefined
    if (!vouched) throw verdict.reason
    const again = await hub.validate(message, vouched)
    if (!again.valid) throw again.reason
    return vouched
  }

  async #vouchedKeyOf({ fid, signer, data }: SignedMessage) {
    if (!this.#options.believesKeys) return undefined
    const scopes = this.#vouched.scopesOf(fid, signer) ?? (await this.#askFor(fid, signer))
    if (scopes && !scopes.includes(data.type)) {
      const text = `message type ${data.type} is not in the scope of the gasless signer`
      throw new Rejection('bad_request.validation_failure', text, { field: 'data.type' })
    }
    return scopes && new Set([vouchedKey(fid, signer)])
  }

  async #askFor(fid: number, signer: Uint8Array): Promise<readonly number[] | undefined> {
    const { clock, source } = this.#options
    if ((this.#askedAt.get(fid) ?? Number.NEGATIVE_INFINITY) > clock.now() - ASK_AGAIN_MS) {
      return undefined
    }
    if (this.#askedAt.size >= MAX_ASKED) this.#askedAt.clear()
    this.#askedAt.set(fid, clock.now())
    try {
      await this.#vouched.learn(fid)
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error
      throw unknownOutcome(`${source.host} does not answer (${error.message})`)
    }
    return this.#vouched.scopesOf(fid, signer)
  }

  async #isStored(message: SignedMessage): Promise<boolean> {
    const rows = await this.#options.storage.messages.bySlots([slotOf(message)])
    return rows.some(({ hash }) => equalBytes(hash, message.hash))
  }

  async #store(
    bytes: Uint8Array,
    vouched: ReadonlySet<string> | undefined,
  ): Promise<SubmitOutcome> {
    const { hub, clock } = this.#options
    const now = clock.now()
    const { fid, hash } = decodeMessage(bytes)
    const sent = { sent_at: now, due_at: now + RESEND_MS[0]!, tries: 1 }
    const submitted = { hash: Uint8Array.from(hash), fid, bytes, ...sent }
    const note: MirrorNote = { submitted }
    const terms = { lease: undefined, vouched, note }
    const [outcome] = await hub.mirror([{ merge: bytes }], terms)
    if (outcome && 'id' in outcome) return { id: outcome.id, message: outcome.row }
    if (!outcome || !('rejection' in outcome)) throw new Error('a submit was left out')
    const { rejection, head } = outcome
    if (rejection.code !== 'bad_request.duplicate') return outcome
    // The event of the source was faster. What passed all rules of its bytes comes as a row.
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
  path?: string,
): Promise<Rejection | undefined> {
  try {
    await source.submit(bytes, path)
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
  for (const row of await storage.of(mirrorRows).outboxDue(clock.now(), RESENT_AT_ONCE)) {
    const waitMs = RESEND_MS[row.tries]
    const refused = await sendTo(source, row.bytes)
    if (refused && isUnknown(refused) && waitMs !== undefined) {
      await putAgain(context, { ...row, due_at: clock.now() + RESEND_MS[0]! })
    } else if (refused || waitMs === undefined) await revoke(context, row)
    else await putAgain(context, { ...row, due_at: clock.now() + waitMs, tries: row.tries + 1 })
  }
}

const putAgain = (context: MirrorContext, row: MirrorOutbox): Promise<void> =>
  writeAsLeader(context, (tx) => tx.of(mirrorRows).updateOutbox(row))

async function revoke(context: MirrorContext, { fid, hash, bytes }: MirrorOutbox): Promise<void> {
  const { hub, lease, metrics, log } = context
  const place = placeOf(bytes)
  if (place) await hub.mirror([{ remove: { fid, ...place, reason: 'revoke' } }], { lease })
  await writeAsLeader(context, (tx) => tx.of(mirrorRows).confirmSubmits([hash]))
  metrics.submit('lost')
  log.error({ fid, hash: Buffer.from(hash).toString('hex') }, 'mirror: the source lost a submit')
}
