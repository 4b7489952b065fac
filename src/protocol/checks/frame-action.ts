import type { FrameActionBody } from '../wire/message_pb.js'
import { checkCastId, invalid } from './rules.ts'

const BODY = 'frameActionBody'
export const MAX_BUTTON_INDEX = 5
export const MAX_FRAME_URL_BYTES = 1024
export const MAX_INPUT_TEXT_BYTES = 256
export const MAX_STATE_BYTES = 4096
export const MAX_TRANSACTION_ID_BYTES = 256
export const MAX_FRAME_ADDRESS_BYTES = 64

/** Rules of a frame action, which can be validated but is never stored. */
export function checkFrameAction(body: FrameActionBody): void {
  if (body.buttonIndex > MAX_BUTTON_INDEX) {
    throw invalid('invalid button index', `${BODY}.buttonIndex`)
  }
  if (body.url.length < 1) throw invalid('invalid url', `${BODY}.url`)
  checkLength(body.url, MAX_FRAME_URL_BYTES, 'url', 'url')
  checkLength(body.inputText, MAX_INPUT_TEXT_BYTES, 'input text', 'inputText')
  checkLength(body.state, MAX_STATE_BYTES, 'state', 'state')
  checkLength(body.transactionId, MAX_TRANSACTION_ID_BYTES, 'transaction ID', 'transactionId')
  checkLength(body.address, MAX_FRAME_ADDRESS_BYTES, 'address', 'address')
  if (body.castId) checkCastId(body.castId, `${BODY}.castId`)
}

function checkLength(bytes: Uint8Array, max: number, name: string, key: string): void {
  if (bytes.length > max) throw invalid(`invalid ${name}`, `${BODY}.${key}`)
}
