import { concatBytes } from '../codec/bytes.ts'
import { FieldScan } from '../codec/wire-scan.ts'
import { object, text } from '../json/json-schema.ts'
import type { ReactionBody } from '../wire/message_pb.js'
import {
  MessageType,
  ReactionBodySchema,
  ReactionType,
  ReactionTypeSchema,
} from '../wire/message_pb.js'
import { jsonLayout, writtenBy } from './json-layout.ts'
import { castIdLayout, castIdSchema, enumSchema } from './json-values.ts'
import { castIdKey, slotKeyOf, urlTargetKey } from './keys.ts'
import {
  type BodyContext,
  type DataInit,
  dataOf,
  MAX_DATA_BYTES,
  type MessageKind,
  type MessageSet,
  type Origin,
} from './kind.ts'
import { checkCastId, checkUrl, invalid } from './rules.ts'

const BODY = 'reactionBody'
const TARGET_FIELDS: ReadonlySet<number> = new Set([2, 3])

/** Reactions and their removes. */
export const reactionSet: MessageSet = {
  key: 'reactions',
  number: 3,
  name: 'REACTIONS',
  messagesPerUnit: { legacy: 2500, u2024: 1000, u2025: 200 },
  announceOrder: 4,
  dependsOnOthers: false,
}

// Adding and removing differ in type and in `isRemove` only: both bodies follow the same rules.
const reactionRules = {
  body: BODY,
  set: reactionSet,
  maxDataBytes: MAX_DATA_BYTES,
  check: checkReaction,
  targetFids: ({ target }: ReactionBody) =>
    target.case === 'targetCastId' ? [Number(target.value.fid)] : [],
  slotKey: ({ type, target }: ReactionBody) => concatBytes(Uint8Array.of(type), targetKey(target)),
  ...writtenBy(
    jsonLayout(ReactionBodySchema, ['type', 'targetCastId', 'targetUrl'], {
      targetCastId: castIdLayout,
    }),
  ),
  schema: object(
    { type: enumSchema(ReactionTypeSchema, ReactionType.NONE) },
    { id: 'ReactionBody', optional: { targetCastId: castIdSchema, targetUrl: text() } },
  ),
} as const

/** A like or recast of a cast or url. Its slot is its type and target. */
export const reactionAddKind: MessageKind<'reactionBody'> = {
  ...reactionRules,
  type: MessageType.REACTION_ADD,
  isRemove: false,
  views: 'reaction',
  target: ({ type, target }) => reactionsByTargetKey(type, targetKey(target)),
}

/** The end of a reaction. */
export const reactionRemoveKind: MessageKind<'reactionBody'> = {
  ...reactionRules,
  type: MessageType.REACTION_REMOVE,
  isRemove: true,
  views: undefined,
}

export type CastId = { readonly fid: number; readonly hash: Uint8Array }
/** What a reaction is to: a cast or a url. */
export type ReactionTarget = CastId | { readonly url: string }

/** Data of a REACTION_ADD. */
export function reactionAdd(origin: Origin, type: ReactionType, target: ReactionTarget): DataInit {
  return dataOf(origin, reactionAddKind, reactionInit(type, target))
}

/** Data of a REACTION_REMOVE. */
export function reactionRemove(
  origin: Origin,
  type: ReactionType,
  target: ReactionTarget,
): DataInit {
  return dataOf(origin, reactionRemoveKind, reactionInit(type, target))
}

function reactionInit(type: ReactionType, target: ReactionTarget) {
  if ('url' in target) return { type, target: { case: 'targetUrl', value: target.url } as const }
  const castId = { fid: BigInt(target.fid), hash: target.hash }
  return { type, target: { case: 'targetCastId', value: castId } as const }
}

/** The slot of a fid's reaction of one type to a target (`castTargetKey`, `urlTargetKey`). */
export function reactionSlot(fid: number, type: number, targetKey: Uint8Array): Uint8Array {
  return slotKeyOf(reactionSet, fid, Uint8Array.of(type), targetKey)
}

/** The target key of reactions of one type to a cast or url. */
export function reactionsByTargetKey(reactionType: number, targetKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(reactionSet.number, reactionType), targetKey)
}

function targetKey(target: ReactionBody['target']): Uint8Array {
  if (target.case === undefined) throw new TypeError('a checked reaction has a target')
  return target.case === 'targetCastId' ? castIdKey(target.value) : urlTargetKey(target.value)
}

// The target need not exist.
function checkReaction(body: ReactionBody, { bytes }: BodyContext): void {
  const { type, target } = body
  if (type !== ReactionType.LIKE && type !== ReactionType.RECAST) {
    throw invalid('invalid reaction type', `${BODY}.type`)
  }
  let only: number | undefined
  const scan = new FieldScan(bytes)
  while (scan.next()) {
    if (!TARGET_FIELDS.has(scan.number)) continue
    only ??= scan.number
    if (scan.number !== only) throw invalid('cannot use both targetUrl and targetCastId', BODY)
  }
  if (target.case === 'targetCastId') checkCastId(target.value, `${BODY}.targetCastId`)
  else if (target.case === 'targetUrl') checkUrl(target.value, `${BODY}.targetUrl`)
  else throw invalid('target is missing', BODY)
}
