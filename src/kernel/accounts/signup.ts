import { Rejection } from '../protocol/rejection.ts'
import type { Reader, Writer } from '../storage/storage.ts'
import type { RegisterFor } from './port.ts'
import type { SignupMode } from './settings.ts'

// Who may register at the ledger: anyone, holders of an invite, or no one.

/** Codes with which their holders may register. Both throw a Rejection unless the code is in force at Unix ms `nowMs`. */
export type InviteCodes = {
  check(reader: Reader, code: string, nowMs: number): Promise<unknown>
  /** Uses it up once. */
  use(tx: Writer, code: string, nowMs: number): Promise<void>
}

/** Decides who may register. `check` changes nothing and costs one read; `admit` uses up the invite. */
export type Admission = {
  check(reader: Reader, call: Pick<RegisterFor, 'invite'>, nowMs: number): Promise<void>
  /** In the transaction of the registration, so that a refused one uses nothing up. */
  admit(tx: Writer, call: Pick<RegisterFor, 'invite'>, nowMs: number): Promise<void>
}

/** Without invites nobody may register where one is needed. */
export function admission(mode: SignupMode, invites: InviteCodes | undefined): Admission {
  const needed = ({ invite: code }: Pick<RegisterFor, 'invite'>) => {
    if (mode === 'open') return undefined
    if (mode === 'closed' || !invites) {
      throw new Rejection('signup.closed', 'this server takes no new accounts')
    }
    if (code !== undefined) return { invites, code }
    const message = 'registering here needs an invite: ask the operator of this server for a code'
    throw new Rejection('signup.invite_required', message, { field: 'invite' })
  }
  return {
    async check(reader, call, nowMs) {
      const one = needed(call)
      await one?.invites.check(reader, one.code, nowMs)
    },
    async admit(tx, call, nowMs) {
      const one = needed(call)
      await one?.invites.use(tx, one.code, nowMs)
    },
  }
}
