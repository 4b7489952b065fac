import { Rejection } from '../protocol/rejection.ts'
import type { Live } from '../storage/live-settings.ts'
import type { Reader, Writer } from '../storage/storage.ts'
import type { RegisterFor } from './port.ts'
import type { SignupMode } from './settings.ts'

// Who may register at the ledger: anyone, holders of an invite, people who were let in, or no one.

/** Codes with which their holders may register. Both throw a Rejection unless the code is in force at Unix ms `nowMs`. */
export type InviteCodes = {
  check(reader: Reader, code: string, nowMs: number): Promise<unknown>
  /** Uses it up once, for the address that registers. */
  use(tx: Writer, code: string, by: UsedBy): Promise<void>
  /** The same where nobody needs one: a code that is not in force is passed over. */
  takeIfInForce(tx: Writer, code: string, by: UsedBy): Promise<unknown>
}
type UsedBy = { readonly to: Uint8Array; readonly nowMs: number }

/** Addresses that were let in. */
export type Approvals = {
  has(reader: Reader, address: Uint8Array): Promise<boolean>
  /** Uses it up. */
  use(tx: Writer, address: Uint8Array): Promise<void>
}

type Call = Pick<RegisterFor, 'invite' | 'to'>

/** Decides who may register. `check` changes nothing and costs a few reads; `admit` uses up the invite or the approval. */
export type Admission = {
  check(reader: Reader, call: Call, nowMs: number): Promise<void>
  /** In the transaction of the registration, so that a refused one uses nothing up. */
  admit(tx: Writer, call: Call, nowMs: number): Promise<void>
}

/** Who may register, unless given anybody, and what admits: without one nobody may register where it is needed. */
export type Admitting = {
  readonly signup?: Live<SignupMode>
  readonly invites?: InviteCodes | undefined
  readonly approvals?: Approvals | undefined
}

export const ANYBODY: Live<SignupMode> = async () => 'open'

export function admission({ signup = ANYBODY, invites, approvals }: Admitting): Admission {
  /** Who has an invite needs no approval. */
  const needed = async (reader: Reader, { invite: code, to }: Call) => {
    const mode = await signup(reader)
    if (mode === 'open') {
      if (code === undefined || !invites) return undefined
      return {
        check: async () => {},
        use: (tx: Writer, nowMs: number) => invites.takeIfInForce(tx, code, { to, nowMs }),
      }
    }
    if (mode === 'closed' || !(invites || approvals)) throw closed()
    if (code !== undefined && invites) {
      return {
        check: (nowMs: number) => invites.check(reader, code, nowMs),
        use: (tx: Writer, nowMs: number) => invites.use(tx, code, { to, nowMs }),
      }
    }
    // Who was let in may come also after people need an invite again: the approval is one.
    if (approvals && (await approvals.has(reader, to))) {
      return { check: async () => {}, use: (tx: Writer) => approvals.use(tx, to) }
    }
    if (mode === 'invite') throw inviteRequired()
    throw approvals ? approvalRequired() : closed()
  }
  return {
    async check(reader, call, nowMs) {
      await (await needed(reader, call))?.check(nowMs)
    },
    async admit(tx, call, nowMs) {
      await (await needed(tx, call))?.use(tx, nowMs)
    },
  }
}

const approvalRequired = () =>
  new Rejection(
    'signup.approval_required',
    'people are let in one by one here: ask to join, and register when you were let in',
    { field: 'to' },
  )

const closed = () => new Rejection('signup.closed', 'this server takes no new accounts')

const inviteRequired = () => {
  const message = 'registering here needs an invite: ask the operator of this server for a code'
  return new Rejection('signup.invite_required', message, { field: 'invite' })
}
