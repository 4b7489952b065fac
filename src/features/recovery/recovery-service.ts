import { createHmac, timingSafeEqual } from 'node:crypto'
import { fromBinary } from '@bufbuild/protobuf'
import { checkOwner, type OwnerTerms } from '../../kernel/accounts/owner-request.ts'
import { transferTypedData } from '../../kernel/accounts/signatures/typed-data.ts'
import type { Secrets } from '../../kernel/app-api/secrets.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import { localeOf, type Say } from '../../kernel/http/translator.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { equalBytes, fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { recoverTypedDataSigner, signTypedData } from '../../kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../../kernel/protocol/crypto/secp256k1.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_SECONDS, MINUTE_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventSchema,
  OnChainEventType,
} from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { Live } from '../../kernel/storage/live-settings.ts'
import type { Reader, Storage, Writer } from '../../kernel/storage/storage.ts'
import type { Mails } from '../mail/port.ts'
import { moderationLogRows, REASONS } from '../moderation-records/port.ts'
import type { AccountNotice, Pushes } from '../push/port.ts'
import type { Registrations } from '../registration/port.ts'
import { addRequest, addRequestByMail } from './requests.ts'
import type { Recovery } from './tables/recoveries.ts'
import { recoveryRows } from './tables/recoveries.ts'

// The recovery service of the operator: an address that people may name as their recovery address. Who has lost every key asks for
// a new one; the operator finds out who it is and starts the move, which happens after a waiting time. Until then the owner can
// stop it by naming another recovery address. The key of the service follows from the key that seals secrets. Requests are written
// under the lock of the hub, under which recovery addresses change: none outlives the address that it relies on.

/** A request that the operator has not decided is forgotten. */
const UNDECIDED_DAYS = 30
/** The signature of the receiver holds at least for the wait, and this long beyond it. */
const SPARE_DAYS = 30
const MAX_DEADLINE_DAYS = 365
const SIGNING_SECONDS = 600
/** The last changes of who has an account that are looked at when a link asks what has become of a move. */
export const MAX_LOOKED_AT = 100
/** What the new key signs to take its request back. */
export const TAKE_BACK = 'take back recovery'

export type RecoveryContext = {
  readonly storage: Storage
  readonly secrets: Pick<Secrets, 'derive'>
  /** Undefined where accounts are followed from a chain. */
  readonly registrations: Registrations | undefined
  /** The waiting time; undefined: there is no service. */
  readonly days: Live<number | undefined>
  /** How signatures of requests are checked. */
  readonly signatures: Omit<OwnerTerms, 'accounts' | 'now'>
  /** Unix seconds. */
  readonly now: () => number
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Undefined where nothing is pushed to devices. */
  readonly pushes: () => Pushes | undefined
  /** Undefined where no mail is sent. */
  readonly mails: () => Mails | undefined
}

/** What who has lost every key sends. */
export type Asked = {
  readonly fid: number
  readonly receiver: Uint8Array
  readonly deadline: number
  readonly signature: Uint8Array
  readonly note: string
  /** The token of a link that was sent to the address of the account: with it the move begins at once. */
  readonly link?: string | undefined
}

/** The request that the operator has read. Who asks may ask again: for another account, or with other words. */
export type RequestRead = Pick<Recovery, 'receiver' | 'fid' | 'asked_at'>

/** What the link names that ends a move. */
type StopToken = Pick<Recovery, 'fid' | 'receiver'> & { readonly due_at: number }

export type StopLink = {
  readonly fid: number
  /** Unix seconds. */
  readonly movesAt: number
  readonly state: 'waiting' | 'moved' | 'ended'
}

/** Who has asked takes it back: signed by the new key. */
type TakenBack = Pick<Recovery, 'fid' | 'receiver' | 'deadline'> & { readonly signature: string }

type Decision = { readonly actor: string; readonly reason: string }
type Enabled = { readonly days: number; readonly registrations: Registrations }

export class RecoveryService {
  readonly #context: RecoveryContext

  constructor(context: RecoveryContext) {
    this.#context = context
  }

  /** The address to be named and the waiting time; undefined without a service. */
  async terms(): Promise<{ address: Uint8Array; days: number } | undefined> {
    const enabled = await this.#enabled()
    return enabled && { address: addressOfPrivateKey(await this.#key()), days: enabled.days }
  }

  /** Stores a request that comes from this address. The operator decides. */
  async ask(asked: Asked, ip: string): Promise<Recovery> {
    const { storage, now } = this.#context
    const { days, registrations } = await this.#getEnabled()
    const { fid, receiver, deadline } = asked
    await this.#checkNamed(storage, fid)
    const least = now() + (days + SPARE_DAYS) * DAY_SECONDS
    if (deadline < least || deadline > now() + MAX_DEADLINE_DAYS * DAY_SECONDS) {
      const text = `deadline must be from ${days + SPARE_DAYS} days to a year ahead`
      throw new Rejection('bad_request.validation_failure', text, { field: 'deadline' })
    }
    if ((await registrations.fidOf(receiver)) !== undefined) {
      throw new Rejection('HasId', 'the new key has an account already', { field: 'receiver' })
    }
    const nonce = await registrations.forUsers.nonce('idRegistry', receiver)
    const terms = { fid, to: receiver, nonce, deadline: BigInt(deadline) }
    const typedData = transferTypedData(registrations.settings.domains, terms)
    const signer = recoverTypedDataSigner(typedData, asked.signature)
    if (!signer || !equalBytes(signer, receiver)) {
      throw new Rejection('InvalidSignature', 'the signature is not of the new key', {
        field: 'signature',
      })
    }
    return storage.write(['hub', `fid/${fid}`], async (tx) => {
      await this.#checkNamed(tx, fid)
      const { link, ...request } = asked
      if (link === undefined) return addRequest(tx, request, { ip, now: now() * SECOND_MS })
      return this.#askByMail(tx, request, link, ip)
    })
  }

  /** Who has the link reads the mail of the account: the waiting time begins, and everybody who can stop it is told. */
  async #askByMail(tx: Writer, asked: Omit<Asked, 'link'>, link: string, ip: string) {
    const { now, mails } = this.#context
    if (!(await mails()?.takeWayBack(tx, link, asked.fid))) {
      const text = 'the link was used, is too old or is for another account: ask for another one'
      throw new Rejection('not_found', text, { field: 'link' })
    }
    const moves = await tx.of(recoveryRows).startedOf(asked.fid)
    if (moves.some(({ by_mail }) => by_mail)) {
      const text =
        'a move that began with a mail waits already: stop it with the link of the mail about it, then ask for another link'
      throw new Rejection('bad_request.conflict', text, { field: 'fid' })
    }
    const origin = { ip, now: now() * SECOND_MS }
    const { recovery: request, displaced } = await addRequestByMail(tx, asked, origin)
    if (displaced) await this.#tellDisplaced(tx, displaced)
    return this.#begin(tx, request, { actor: 'mail', reason: REASONS.recovery.mailed })
  }

  /** A move that made room for another: the log and the account are told. */
  async #tellDisplaced(tx: Writer, { fid }: Recovery): Promise<void> {
    const { now, pushes } = this.#context
    const entry = { at: now(), actor: 'server', fid, cast_hash: null, name: null }
    const reason = REASONS.recovery.displaced
    await tx.of(moderationLogRows).add({ ...entry, action: 'refuse-recovery', reason })
    await pushes()?.tell(tx, displacedNotice(fid), now() * SECOND_MS)
  }

  /** Removes a request, also one that waits, for who has the new key. */
  async takeBack({ receiver, signature, ...signed }: TakenBack): Promise<void> {
    const { storage, signatures, now } = this.#context
    const accounts = { custodyOf: async () => ({ address: receiver }) }
    await checkOwner({ ...signed, action: TAKE_BACK }, signature, { ...signatures, accounts, now })
    await storage.write('hub', async (tx) => {
      const found = await tx.of(recoveryRows).find({ receiver, fid: signed.fid })
      if (!found) throw unknownRequest()
      const decision = { actor: 'who asked', reason: REASONS.recovery.takenBack }
      // Only what began is in the log: strangers fill nothing with what they ask and take back.
      if (found.due_at !== null) await this.#decide(tx, found, decision, 'refuse-recovery')
      await tx.of(recoveryRows).remove(found)
    })
  }

  /** Ends every move of the account, with the link that its owner was sent about one. Doing it once more changes nothing. */
  async stop(token: string): Promise<void> {
    const move = await this.#readStop(token)
    await this.#context.storage.write('hub', async (tx) => {
      const found = move && (await tx.of(recoveryRows).find(move))
      if (!found || found.due_at !== move.due_at) {
        throw new Rejection('not_found', 'there is nothing to stop any more', { field: 'token' })
      }
      const decision = { actor: 'mail', reason: REASONS.recovery.stopped }
      for (const started of await tx.of(recoveryRows).startedOf(found.fid)) {
        await this.#decide(tx, started, decision, 'refuse-recovery')
        await tx.of(recoveryRows).remove(started)
      }
    })
  }

  /** The token of the link that ends a move. It holds as long as the move waits. */
  async #stopToken({ fid, receiver, due_at }: StopToken): Promise<string> {
    const key = await this.#context.secrets.derive('links that stop recoveries')
    const named = `${fid}.${toHex(receiver).slice(2)}.${due_at}`
    return `${named}.${createHmac('sha256', key).update(named).digest('base64url')}`
  }

  /** What can still be done with the link of a mail about a move: it may be opened long after. Undefined for another text. */
  async lookAtStop(token: string): Promise<StopLink | undefined> {
    const { storage } = this.#context
    const move = await this.#readStop(token)
    if (!move) return undefined
    const { fid, receiver, due_at } = move
    const found = await storage.of(recoveryRows).find(move)
    if (found?.due_at === due_at) return { fid, movesAt: due_at, state: 'waiting' }
    const isMoved = await this.#hasMoved(fid, receiver)
    return { fid, movesAt: due_at, state: isMoved ? 'moved' : 'ended' }
  }

  /** Whether the account has belonged to this key, which may have given it on since. */
  async #hasMoved(fid: number, receiver: Uint8Array): Promise<boolean> {
    const page = { size: MAX_LOOKED_AT, reverse: true }
    const type = OnChainEventType.EVENT_TYPE_ID_REGISTER
    const { items } = await this.#context.storage.accounts.listEvents(fid, type, page)
    return items.some(({ body }) => {
      const { body: event } = fromBinary(OnChainEventSchema, body)
      return event.case === 'idRegisterEventBody' && equalBytes(event.value.to, receiver)
    })
  }

  async #readStop(token: string): Promise<StopToken | undefined> {
    const [fid, receiver = '', due = ''] = token.split('.')
    const move = { fid: Number(fid), receiver: fromHex(`0x${receiver}`), due_at: Number(due) }
    if (!Number.isSafeInteger(move.fid) || !move.receiver || !Number.isSafeInteger(move.due_at)) {
      return undefined
    }
    const right = Buffer.from(await this.#stopToken(move as StopToken))
    const given = Buffer.from(token)
    const isRight = right.length === given.length && timingSafeEqual(right, given)
    return isRight ? (move as StopToken) : undefined
  }

  /** Has an account moved after the waiting time, and tells its owner. Doing it once more changes nothing. */
  async start(request: RequestRead, decision: Decision): Promise<Recovery> {
    return this.#context.storage.write(['hub', `fid/${request.fid}`], (tx) =>
      this.#begin(tx, request, decision),
    )
  }

  async #begin(tx: Writer, request: RequestRead, decision: Decision): Promise<Recovery> {
    const { now } = this.#context
    const { days } = await this.#getEnabled(tx)
    const found = await this.#decide(tx, request, decision, 'start-recovery')
    const started = { ...found, due_at: found.due_at ?? now() + days * DAY_SECONDS }
    await tx.of(recoveryRows).put(started)
    await this.#tell(tx, started)
    return started
  }

  async #tell(tx: Writer, started: Recovery & { due_at: number }): Promise<void> {
    const { now, pushes, mails } = this.#context
    const stop = mails()?.page('stop', await this.#stopToken(started))
    await pushes()?.tell(tx, moveNotice(started, stop), now() * SECOND_MS)
  }

  async tellMoves(tx: Writer, fid: number): Promise<void> {
    for (const { due_at, ...move } of await tx.of(recoveryRows).startedOf(fid))
      if (due_at !== null) await this.#tell(tx, { ...move, due_at })
  }

  /** Removes a request, also one that waits. */
  refuse(request: RequestRead, decision: Decision): Promise<Recovery> {
    return this.#context.storage.write('hub', async (tx) => {
      const found = await this.#decide(tx, request, decision, 'refuse-recovery')
      await tx.of(recoveryRows).remove(found)
      return found
    })
  }

  readonly job: Job = {
    name: 'recover accounts',
    scope: 'leader',
    everyMs: MINUTE_MS,
    firstAfterMs: 0,
    run: async ({ signal }) => {
      const failures: unknown[] = []
      for (const recovery of await this.#toProceed()) {
        signal.throwIfAborted()
        // One that fails keeps no other waiting.
        await this.#proceed(recovery).catch((error) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    },
  }

  /** What is due; while the service is off also what waits. Undecided requests are few. */
  async #toProceed(): Promise<Recovery[]> {
    const { storage, now } = this.#context
    const rows = storage.of(recoveryRows)
    const due = (await this.#enabled()) ? now() : Number.MAX_SAFE_INTEGER
    return [...(await rows.started(due)), ...(await rows.undecided())]
  }

  /** While the service is off, moves that were started become undecided requests again: a later move has the whole waiting time. */
  async #proceed(recovery: Recovery): Promise<void> {
    const { now } = this.#context
    const { due_at, asked_at } = recovery
    if (due_at === null) {
      if (asked_at <= now() - UNDECIDED_DAYS * DAY_SECONDS) await this.#forget(recovery)
    } else if (!(await this.#enabled())) await this.#putBack(recovery)
    else if (due_at <= now()) await this.#move(recovery)
  }

  async #putBack(recovery: Recovery): Promise<void> {
    const { storage, log } = this.#context
    await storage.write('hub', async (tx) => {
      if (!(await isUnchanged(tx, recovery))) return
      const at = this.#context.now()
      // Asked anew, so that it is not forgotten as one that nobody has decided for a month. The operator decides about it now.
      await tx.of(recoveryRows).put({ ...recovery, due_at: null, asked_at: at, by_mail: 0 })
      const entry = { at, actor: 'server', fid: recovery.fid, cast_hash: null, name: null }
      const reason = REASONS.recovery.off
      await tx.of(moderationLogRows).add({ ...entry, action: 'refuse-recovery', reason })
      log.warn(
        { fid: recovery.fid },
        'a move to another key is stopped: there is no recovery service',
      )
    })
  }

  /** A new key or another recovery address of an account ends its requests, in the transaction that brings it. */
  async onMerged(tx: Writer, events: readonly OnChainEvent[]): Promise<void> {
    const fids = events.flatMap(({ fid, body }) =>
      body.case === 'idRegisterEventBody' && body.value.eventType !== IdRegisterEventType.REGISTER
        ? Number(fid)
        : [],
    )
    if (fids.length > 0) await tx.of(recoveryRows).removeOf([...new Set(fids)])
  }

  /** Moves an account, unless its owner or the operator has stopped that meanwhile. */
  async #move(recovery: Recovery): Promise<void> {
    const { storage, now, log } = this.#context
    const { fid, receiver, deadline, signature } = recovery
    const { registrations } = await this.#getEnabled()
    try {
      const from = await this.#checkNamed(storage, fid)
      const key = await this.#key()
      const nonce = await registrations.forUsers.nonce('idRegistry', addressOfPrivateKey(key))
      const recoveryDeadline = BigInt(now() + SIGNING_SECONDS)
      const terms = { fid, to: receiver, nonce, deadline: recoveryDeadline }
      const recoverySignature = signTypedData(
        transferTypedData(registrations.settings.domains, terms),
        key,
      )
      const ours = { from, to: receiver, recoveryDeadline, recoverySignature }
      const theirs = { toDeadline: BigInt(deadline), toSignature: signature }
      await registrations.recoverIf({ ...ours, ...theirs }, async (tx) => {
        if (!(await isUnchanged(tx, recovery))) throw unknownRequest()
      })
      log.info({ fid }, 'the recovery service has moved an account')
    } catch (error) {
      if (!(error instanceof Rejection) || error.code.startsWith('unavailable')) throw error
      log.warn({ fid, err: error }, 'an account was not recovered')
      await this.#forget(recovery)
    }
  }

  async canRecover(fid: number): Promise<boolean> {
    return (
      (await this.#enabled()) !== undefined &&
      (await this.#named(this.#context.storage, fid)) !== undefined
    )
  }

  /** The custody address of an account that has named the service. */
  async #named({ accounts }: Reader, fid: number): Promise<Uint8Array | undefined> {
    const account = await accounts.custody(fid)
    const address = addressOfPrivateKey(await this.#key())
    return account && equalBytes(account.recovery, address) ? account.address : undefined
  }

  async #checkNamed(reader: Reader, fid: number): Promise<Uint8Array> {
    const named = await this.#named(reader, fid)
    if (named) return named
    const text = `fid ${fid} has not named the recovery service of this server`
    throw new Rejection('Unauthorized', text, { field: 'fid' })
  }

  /** The request that is decided about, with the entry of the log. It must be the one that the operator has read. */
  async #decide(
    tx: Writer,
    request: RequestRead,
    { actor, reason }: Decision,
    action: 'start-recovery' | 'refuse-recovery',
  ): Promise<Recovery> {
    const found = await tx.of(recoveryRows).find(request)
    if (found?.asked_at !== request.asked_at) throw await changedRequest(tx, request)
    const at = this.#context.now()
    const entry = { at, actor, reason, fid: found.fid, cast_hash: null, name: null }
    await tx.of(moderationLogRows).add({ ...entry, action })
    return found
  }

  async #forget(recovery: Recovery): Promise<void> {
    await this.#context.storage.write('hub', async (tx) => {
      if (await isUnchanged(tx, recovery)) await tx.of(recoveryRows).remove(recovery)
    })
  }

  #key(): Promise<Uint8Array> {
    return this.#context.secrets.derive('recovery address of the operator')
  }

  async #enabled(reader?: Reader): Promise<Enabled | undefined> {
    const { registrations } = this.#context
    const days = await this.#context.days(reader)
    return days === undefined || !registrations ? undefined : { days, registrations }
  }

  async #getEnabled(reader?: Reader): Promise<Enabled> {
    const enabled = await this.#enabled(reader)
    if (enabled) return enabled
    throw new Rejection('not_supported', 'this server has no recovery service')
  }
}

/** Whether nobody has decided, asked again or stopped it since the row was read. */
async function isUnchanged({ of }: Reader, row: Recovery): Promise<boolean> {
  const found = await of(recoveryRows).find(row)
  return found?.asked_at === row.asked_at && found.due_at === row.due_at
}

const unknownRequest = () => new Rejection('not_found', 'there is no such request')

/** Names what the key asks for now, if anything. */
async function changedRequest({ of }: Reader, { receiver, fid }: RequestRead): Promise<Rejection> {
  const [newest] = await of(recoveryRows).ofReceiver(receiver)
  if (!newest) return unknownRequest()
  const text = `the request is not the one that you have read: this key has asked for fid ${newest.fid} at ${newest.asked_at}. Read it again`
  return new Rejection('changed_meanwhile', text, {
    field: newest.fid === fid ? 'askedAt' : 'fid',
  })
}

const DATE = { dateStyle: 'long', timeZone: 'UTC' } as const

/** Reaches the owner on every device and by mail, until the account is moved. */
function moveNotice(
  { fid, due_at }: Recovery & { due_at: number },
  stop: string | undefined,
): AccountNotice {
  const expiresAt = due_at * SECOND_MS
  const day = ({ language }: Say) =>
    new Intl.DateTimeFormat(localeOf(language), DATE).format(expiresAt)
  return {
    ...{ fid, url: '/account', expiresAt, isFirst: true },
    texts: (say) => ({
      title: say('Somebody has asked for your account'),
      body: say('They get it on {day}. If that is not you, open this and stop it.', {
        day: day(say),
      }),
    }),
    mail: (say) => ({
      subject: say('Somebody has asked for your account'),
      paragraphs: [
        say('They get it on {day}. If that is you, do nothing.', { day: day(say) }),
        say(
          'If that is not you, press the button and then the one on the page that it opens. You need not sign in.',
        ),
      ],
      ...(stop && { button: { label: say('Stop it'), url: stop } }),
    }),
  }
}

function displacedNotice(fid: number): AccountNotice {
  const texts = (say: Say) => ({
    title: say('Your account stays where it is'),
    body: say(
      'A move to another key that began with a mail was ended, because too many wait on this server. If it was yours, ask for it once more.',
    ),
  })
  const mail = (say: Say) => {
    const { title: subject, body } = texts(say)
    return { subject, paragraphs: [body] }
  }
  return { fid, texts, url: '/account', mail }
}
