import type { LinkBody, LinkCompactStateBody } from '../wire/message_pb.js'
import { checkFid, checkLinkType, invalid } from './rules.ts'

/** Rules of adding and of removing a link. Links to oneself are allowed; the display time is free. */
export function checkLink(body: LinkBody): void {
  checkLinkType(body.type, 'linkBody.type')
  if (body.target.case === undefined) throw invalid('target is missing', 'linkBody.targetFid')
  checkFid(body.target.value, 'linkBody.targetFid')
}

/** The list has a fid, may name one twice, and is as long as the size of the message lets it be. */
export function checkLinkCompactState(body: LinkCompactStateBody): void {
  checkLinkType(body.type, 'linkCompactStateBody.type')
  if (body.targetFids.length === 0) {
    throw invalid('target is missing', 'linkCompactStateBody.targetFids')
  }
  for (const [i, fid] of body.targetFids.entries()) {
    checkFid(fid, `linkCompactStateBody.targetFids[${i}]`)
  }
}
