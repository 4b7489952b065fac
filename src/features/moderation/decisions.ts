import Type from 'typebox'
import { json } from '../../kernel/http/route.ts'

import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import { readProfiles } from '../../kernel/storage/reads/profiles.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { PollsPort } from '../polls/port.ts'
import type { Appeals } from './appeals.ts'
import type { Moderation } from './moderation.ts'
import type { Reports } from './reports.ts'
import type { Decision } from './resolving.ts'
import type { Staff } from './staff.ts'
import type { StaffMember } from './tables/staff.ts'

// What the operator's routes of moderation share.

export type OperatorContext = {
  readonly moderation: Moderation
  readonly reports: Reports
  readonly appeals: Appeals
  readonly staff: Staff
  readonly polls: Pick<PollsPort, 'among'> | undefined
  readonly storage: Storage
  /** Whether another hub decides what may be sent. */
  readonly isMirror: boolean
  /** Where browsers find this server, if it says so. */
  readonly publicUrl: string | undefined
  /** Unix seconds. */
  readonly now: () => number
  readonly encode: (row: StoredMessage) => Uint8Array
}

export const TAGS = [
  { name: 'Moderation', description: 'What the operator hides, erases and decides.' },
]

export const MAX_REASON_CHARACTERS = 2_000
const MAX_ACTOR_CHARACTERS = 100

/** Who acts, for who has the operator's token. Accounts with a role are named by the server. */
export const actorFields = {
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ACTOR_CHARACTERS,
      description: 'Who decided; `operator` unless given.',
    }),
  ),
}

export const decisionFields = {
  reason: Type.String({
    minLength: 1,
    maxLength: MAX_REASON_CHARACTERS,
    description:
      'The reason. The log of moderation shows it, and the account that it concerns reads it, as does who reported or appealed.',
  }),
  ...actorFields,
}

/** A longer suspension is one for good. */
const MAX_SUSPENSION_DAYS = 365
export const daysField = {
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_SUSPENSION_DAYS,
      description: 'Days after which a suspension ends by itself; without it, it is for good.',
    }),
  ),
}
export const DecisionBody = json(Type.Object(decisionFields))

export const decisionOf = ({
  reason,
  actor = 'operator',
}: {
  reason: string
  actor?: string
}): Decision => ({
  reason,
  actor,
})

/** Who sent a request without a body: an account with a role, as staffRoutes adds it, or else who has the operator's token. */
export const actorIn = (body: unknown): string =>
  (body as { readonly actor?: string } | undefined)?.actor ?? 'operator'

/** The account with a role that sent a request; undefined for who has the operator's token. */
export const memberIn = (body: unknown): StaffMember | undefined =>
  (body as { readonly member?: StaffMember } | undefined)?.member

/** The names of accounts that have one, by fid. */
export async function usernamesOf(
  { messages }: Pick<Storage, 'messages'>,
  fids: readonly number[],
): Promise<Map<number, string>> {
  const profiles = await readProfiles(messages, fids, ['username'])
  return new Map(
    fids.flatMap((fid, at) => {
      const { username } = profiles[at]!
      return username === undefined ? [] : [[fid, username]]
    }),
  )
}

export const Next = Type.Optional(Type.Object({ cursor: Type.String() }))
export const Done = Type.Object({ success: Type.Literal(true) })
export const DONE = { success: true } as const
