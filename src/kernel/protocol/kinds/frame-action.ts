import type { MessageInitShape } from '@bufbuild/protobuf'
import { fromUtf8, toBase64, toHex } from '../codec/bytes.ts'
import { base64, hex, integer, object, text } from '../json/json-schema.ts'
import type { FrameActionBody, FrameActionBodySchema } from '../wire/message_pb.js'
import { MessageType } from '../wire/message_pb.js'
import { castIdJson, castIdSchema } from './json-values.ts'
import {
  type DataInit,
  dataOf,
  type JsonObject,
  type JsonOptions,
  MAX_DATA_BYTES,
  type MessageKind,
  type Origin,
} from './kind.ts'
import { checkCastId, invalid } from './rules.ts'

const BODY = 'frameActionBody'
const MAX_BUTTON_INDEX = 5
const MAX_FRAME_URL_BYTES = 1024
const MAX_INPUT_TEXT_BYTES = 256
const MAX_STATE_BYTES = 4096
const MAX_TRANSACTION_ID_BYTES = 256
const MAX_FRAME_ADDRESS_BYTES = 64

/** What a user does in a frame: proven to the frame's server by validateMessage, never stored. */
export const frameActionKind: MessageKind<'frameActionBody'> = {
  type: MessageType.FRAME_ACTION,
  body: 'frameActionBody',
  set: undefined,
  isRemove: false,
  views: undefined,
  maxDataBytes: MAX_DATA_BYTES,
  targetFids: () => [],
  check: checkFrameAction,
  json: frameActionJson,
  schema: object(
    {
      url: text({ description: 'text; base64 when it is not UTF-8 or the hub is set so' }),
      buttonIndex: integer(),
      inputText: text({ description: 'written like the url' }),
      state: base64('what the frame gave the client to send back'),
      transactionId: base64('the transaction that the action reports'),
      address: hex('the wallet of the transaction'),
    },
    { id: 'FrameActionBody', optional: { castId: castIdSchema } },
  ),
}

/** Data of a FRAME_ACTION. */
export function frameAction(
  origin: Origin,
  value: MessageInitShape<typeof FrameActionBodySchema>,
): DataInit {
  return dataOf(origin, frameActionKind, value)
}

function frameActionJson(body: FrameActionBody, { frameBytes }: JsonOptions): JsonObject {
  const text = (bytes: Uint8Array) =>
    (frameBytes === 'text' ? fromUtf8(bytes) : undefined) ?? toBase64(bytes)
  const json: Record<string, unknown> = {
    url: text(body.url),
    buttonIndex: body.buttonIndex,
  }
  if (body.castId) json.castId = castIdJson(body.castId)
  json.inputText = text(body.inputText)
  json.state = toBase64(body.state)
  json.transactionId = toBase64(body.transactionId)
  json.address = toHex(body.address)
  return json
}

function checkFrameAction(body: FrameActionBody): void {
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
