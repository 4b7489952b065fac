// What each set of messages does besides taking slots. A set must be named here, if only as NO_EFFECTS.

import type { SetName } from '../../protocol/kinds/kind.ts'
import { ALL_MESSAGE_SETS } from '../../protocol/kinds/kinds.ts'
import { messageSetOf } from '../../protocol/slots.ts'
import { HubEventType } from '../../protocol/wire/hub_event_pb.js'
import type { MessageData } from '../../protocol/wire/message_pb.js'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Candidate } from '../submit/candidate.ts'
import { castEffects } from './casts.ts'
import { compactStateEffects } from './compact-states.ts'
import type { Claims, Effects, Loss, MergeState, Question } from './effects.ts'
import { gaslessKeyEffects } from './gasless-keys.ts'
import { linkEffects } from './links.ts'
import { storageLendEffects } from './storage-lends.ts'
import { userDataEffects } from './user-data.ts'
import { usernameProofEffects } from './username-proofs.ts'
import { verificationEffects } from './verifications.ts'

const NO_EFFECTS: Effects = {}

const EFFECTS: Readonly<Record<SetName, Effects>> = {
  casts: castEffects,
  links: linkEffects,
  reactions: NO_EFFECTS,
  userData: userDataEffects,
  verifications: verificationEffects,
  usernameProofs: usernameProofEffects,
  storageLends: storageLendEffects,
  linkCompactState: compactStateEffects,
  gaslessKeys: gaslessKeyEffects,
}

const byNumber: Effects[] = []
for (const { key, number } of ALL_MESSAGE_SETS) byNumber[number] = EFFECTS[key]

export const ALL_EFFECTS: readonly Effects[] = Object.values(EFFECTS)

/** The effects of a set, by its number. */
export const effectsOf = (set: number): Effects => byNumber[set] ?? NO_EFFECTS

/** Throws the Rejection of the first rule that a message breaks. `isSentNow`: a client submits it to this hub; false: a mirror copies it from another hub. */
export function checkRules(candidate: Candidate, state: MergeState, isSentNow: boolean): void {
  const { rules } = effectsOf(candidate.row.store)
  if (!rules) return
  for (const rule of rules) {
    if ('check' in rule) rule.check(candidate, state)
    else if (isSentNow) rule.checkNow(candidate, state)
  }
}

/** The type of the event that reports a merge into a set. */
export const mergeEventOf = (set: number): HubEventType =>
  effectsOf(set).eventType ?? HubEventType.MERGE_MESSAGE

/** The names and addresses that the author loses with this message. */
export const lossesBy = (row: StoredMessage): Loss[] => effectsOf(row.store).losses?.(row) ?? []

/** What has to be asked about a message; undefined: nothing. */
export const questionOf = ({
  type,
  body,
}: Pick<MessageData, 'type' | 'body'>): Question | undefined =>
  effectsOf(messageSetOf(type)).asks?.(body)

const CHAIN_QUESTIONS: ReadonlySet<Question | undefined> = new Set(['nameOnChain', 'contractClaim'])

/** Whether a chain has to be asked about a message. */
export const asksChain = (data: Pick<MessageData, 'type' | 'body'>): boolean =>
  CHAIN_QUESTIONS.has(questionOf(data))

/** How messages of all sets claim what others prove. */
export const ALL_CLAIMS: readonly Claims[] = ALL_EFFECTS.flatMap(({ claims }) => claims ?? [])

/** Rows by the effects of their sets, without those that have none. */
export function byEffects<T>(
  items: readonly T[],
  setOf: (item: T) => number,
): [Effects, readonly T[]][] {
  return [...Map.groupBy(items, setOf)].flatMap(([set, own]): [Effects, readonly T[]][] => {
    const effects = effectsOf(set)
    return effects === NO_EFFECTS ? [] : [[effects, own]]
  })
}
