import { fromBinary } from '@bufbuild/protobuf'
import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import type { Mode } from '../../kernel/base/setting.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import type { RequestInfo } from '../../kernel/http/route.ts'
import { equalBytes, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../../kernel/protocol/crypto/key-request-metadata.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventSchema,
} from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { Reader, Storage, Writer } from '../../kernel/storage/storage.ts'
import type { TakeRoles } from '../invites/port.ts'
import { moderationLogRows, REASONS } from '../moderation-records/port.ts'
import type { Moderation } from './moderation.ts'
import type { Decision } from './resolving.ts'
import { MAX_STAFF, RANKS, type StaffMember, type StaffRole, staffRows } from './tables/staff.ts'

// Accounts that moderate: with the role `moderator`, or with the role `operator`, which may do more. Who holds the token
// of the operator may do everything, and only that token makes operators.

/** Who signed a request, by a token that names this server. */
export type CallerOf = (
  request: RequestInfo,
  terms: { readonly accept: readonly ('app_key' | 'custody')[]; readonly needsAudience: true },
) => Promise<{
  readonly fid: number
  readonly by: 'app_key' | 'custody'
  readonly key: Uint8Array
}>

export type StaffOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly mode: Mode
  readonly moderation: Moderation
  readonly callerOf: CallerOf
  readonly log: Pick<Logger, 'warn'>
  /** What new accounts become by their invites; undefined where nobody is invited. */
  readonly takeRoles?: TakeRoles | undefined
}

/** A role is given to a person: who has this account at this custody address. */
export type Appointment = {
  readonly fid: number
  readonly custody: Uint8Array
  readonly role: StaffRole
}

/** Uploads of the operator have it; no account does. */
const OPERATOR_FID = 0
/** The actor of what the program does by itself. */
const SERVER = 'server'
const { invited: INVITED, moved: MOVED } = REASONS.server

export class Staff {
  readonly #options: StaffOptions

  constructor(options: StaffOptions) {
    this.#options = options
  }

  list(): Promise<StaffMember[]> {
    return this.#options.storage.of(staffRows).list()
  }

  /**
   * The member of the staff who signed a request. The role is read anew each time, so that one that was taken away ends at
   * once in every process. Throws a Rejection for anybody else.
   */
  async memberOf(request: RequestInfo, atLeast: StaffRole): Promise<StaffMember> {
    const { storage, callerOf, mode } = this.#options
    const caller = await callerOf(request, { accept: ['app_key', 'custody'], needsAudience: true })
    const { fid, by, key } = caller
    const [member, account] = await Promise.all([
      storage.of(staffRows).find(fid),
      storage.moderation.account(fid),
    ])
    if (!member) throw forbidden(`fid ${fid} has no role on this server`)
    if (account?.hidden) throw forbidden(`fid ${fid} is suspended`)
    if (RANKS[member.role] < RANKS[atLeast]) throw forbidden(`only the role ${atLeast} may do this`)
    // The accounts of a development network have keys of an app.
    if (by === 'app_key' && mode === 'production' && !(await isOwnKey(storage, fid, key))) {
      throw forbidden(
        'keys of other apps may not moderate: sign with a key that the account made for itself',
      )
    }
    return member
  }

  /** Throws a Rejection when the subject is the member, or has a role that is not below the member's. */
  async checkMayDecideOn(member: StaffMember, subject: number): Promise<void> {
    const reason = await this.#whyNot(member, subject)
    if (reason) throw forbidden(reason)
  }

  async mayDecideOn(member: StaffMember, subject: number): Promise<boolean> {
    return (await this.#whyNot(member, subject)) === undefined
  }

  async #whyNot(member: StaffMember, subject: number): Promise<string | undefined> {
    if (subject === member.fid) return 'nobody decides about themselves'
    if (subject === OPERATOR_FID) return 'it belongs to the server itself'
    const other = await this.#options.storage.of(staffRows).find(subject)
    if (other && RANKS[other.role] >= RANKS[member.role]) {
      return `fid ${subject} has the role ${other.role}`
    }
    return undefined
  }

  /** Gives an account a role, or another one, if the person who was checked still has it. */
  appoint({ fid, custody, role }: Appointment, decision: Decision): Promise<StaffMember> {
    return this.#options.moderation.recorded(
      'appoint',
      { fid, name: role },
      decision,
      async (tx) => {
        const account = await tx.accounts.custody(fid)
        if (!account) throw unknown(fid)
        if (!equalBytes(account.address, custody)) throw moved(fid, account.address)
        const present = await tx.of(staffRows).find(fid)
        if (present?.role === role) return { result: present, isChanged: false }
        if (!present && (await tx.of(staffRows).count()) >= MAX_STAFF) {
          throw new Rejection('bad_request.conflict', `${MAX_STAFF} accounts have a role already`)
        }
        const since = unixSeconds(this.#options.clock)
        const member = { fid, role, since, appointed_by: decision.actor }
        await tx.of(staffRows).put(member)
        return { result: member, isChanged: true }
      },
    )
  }

  /** What the invites of new accounts say, while the accounts are still those of the addresses that have used them. */
  async #appointInvited(tx: Writer, events: readonly OnChainEvent[]): Promise<void> {
    const joined = events.flatMap(joinedOf)
    if (joined.length === 0) return
    const addresses = joined.map(({ address }) => address)
    const roles = (await this.#options.takeRoles?.(tx, addresses)) ?? []
    for (const [at, role] of roles.entries()) {
      if (role) await this.#appointNew(tx, joined[at]!.fid, role)
    }
  }

  async #appointNew(tx: Writer, fid: number, role: StaffRole): Promise<void> {
    if ((await tx.of(staffRows).count()) >= MAX_STAFF) {
      this.#options.log.warn({ fid, role }, 'an invited account got no role: the staff is full')
      return
    }
    const since = unixSeconds(this.#options.clock)
    await tx.of(staffRows).put({ fid, role, since, appointed_by: SERVER })
    const entry = { action: 'appoint', fid, cast_hash: null, name: role } as const
    await tx.of(moderationLogRows).add({ ...entry, at: since, actor: SERVER, reason: INVITED })
  }

  /** A role comes with the account that was registered by an invite with one. A role ends when its account gets another custody address, in the transaction that brings it: it was given to a person. */
  async onMerged(tx: Writer, events: readonly OnChainEvent[]): Promise<void> {
    await this.#appointInvited(tx, events)
    const moved = events.filter(isMove).map(({ fid }) => Number(fid))
    if (moved.length === 0) return
    for (const { fid } of await tx.of(staffRows).ofFids([...new Set(moved)])) {
      await tx.of(staffRows).remove(fid)
      const entry = { action: 'dismiss', fid, cast_hash: null, name: null } as const
      const at = unixSeconds(this.#options.clock)
      await tx.of(moderationLogRows).add({ ...entry, at, actor: SERVER, reason: MOVED })
    }
  }

  /** Takes the role of an account away, at once in every process. */
  async dismiss(fid: number, decision: Decision): Promise<void> {
    await this.#options.moderation.recorded('dismiss', { fid }, decision, async (tx) => ({
      result: undefined,
      isChanged: (await tx.of(staffRows).remove(fid)) > 0,
    }))
  }
}

/** An account that was just registered. */
const joinedOf = ({ fid, body }: OnChainEvent) =>
  body.case === 'idRegisterEventBody' && body.value.eventType === IdRegisterEventType.REGISTER
    ? [{ fid: Number(fid), address: body.value.to }]
    : []

/** A transfer, a recovery or a sale. */
const isMove = ({ body }: OnChainEvent): boolean =>
  body.case === 'idRegisterEventBody' && body.value.eventType === IdRegisterEventType.TRANSFER

/**
 * Whether the account itself asked for the key. An app that a member of the staff uses has a key too, and shall not decide in
 * that name.
 */
async function isOwnKey(
  { accounts, gaslessKeys }: Pick<Reader, 'accounts' | 'gaslessKeys'>,
  fid: number,
  key: Uint8Array,
): Promise<boolean> {
  const [added] = await accounts.addingEvents([{ fid, key }])
  if (added) return requesterOf(added.body) === fid
  const found = await gaslessKeys.ofKeys([key])
  return found.some((one) => one.fid === fid && one.request_fid === fid)
}

function requesterOf(event: Uint8Array): number | undefined {
  const { body } = fromBinary(OnChainEventSchema, event)
  if (body.case !== 'signerEventBody') return undefined
  const requester = decodeSignedKeyRequestMetadata(body.value.metadata)?.requestFid
  return requester === undefined ? undefined : Number(requester)
}

export const forbidden = (text: string) => new Rejection('unauthorized', text)
const moved = (fid: number, address: Uint8Array) =>
  new Rejection(
    'changed_meanwhile',
    `fid ${fid} has the custody address ${toHex(address)}, and not the one that you have seen. Make sure that it still belongs to the person whom you mean`,
    { field: 'custody' },
  )
const unknown = (fid: number) =>
  new Rejection('not_found', `fid ${fid} is not registered`, { field: 'fid' })
