import type { LinkBody, LinkCompactStateBody } from '../wire/message_pb.js'
import { checkFid, checkLinkType, invalid } from './rules.ts'

/** Rules of adding and of removing a link. Links to oneself are allowed; the display time is free. */
export function checkLink(body: LinkBody): void {
  checkLinkType(body.type, 'linkBody.type')
  if (body.target.case === undefined) throw invalid('target is missing', 'linkBody.targetFid')
  checkFid(body.target.value, 'linkBody.targetFid')
}

/** The list may name a fid twice; how long it may be follows from the size of the message. */
export function checkLinkCompactState(body: LinkCompactStateBody): void {
  checkLinkType(body.type, 'linkCompactStateBody.type')
  for (const [i, fid] of body.targetFids.entries()) {
    checkFid(fid, `linkCompactStateBody.targetFids[${i}]`)
  }
}
