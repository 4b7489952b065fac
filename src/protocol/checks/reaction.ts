import type { ReactionBody } from '../wire/message_pb.js'
import { ReactionType } from '../wire/message_pb.js'
import { scanFields } from '../wire-scan.ts'
import { checkCastId, checkUrl, invalid } from './rules.ts'

const BODY = 'reactionBody'
const TARGET_FIELDS: ReadonlySet<number> = new Set([2, 3])

/** Rules of adding and of removing a reaction; the target need not exist. `bytes` is the raw body. */
export function checkReaction(body: ReactionBody, bytes: Uint8Array): void {
  const { type, target } = body
  if (type !== ReactionType.LIKE && type !== ReactionType.RECAST) {
    throw invalid('invalid reaction type', `${BODY}.type`)
  }
  const targets = new Set(
    scanFields(bytes)
      ?.map((field) => field.number)
      .filter(isTarget),
  )
  if (targets.size > 1) throw invalid('cannot use both targetUrl and targetCastId', BODY)
  if (target.case === 'targetCastId') checkCastId(target.value, `${BODY}.targetCastId`)
  else if (target.case === 'targetUrl') checkUrl(target.value, `${BODY}.targetUrl`)
  else throw invalid('target is missing', BODY)
}

function isTarget(number: number): boolean {
  return TARGET_FIELDS.has(number)
}
