import type { MessageData } from './wire/message_pb.js'

/** Which fields carried the data when the message was received: field 1, field 7, or both. */
export const MESSAGE_FORMS = { data: 1, dataBytes: 2, both: 3 } as const
export type MessageForm = (typeof MESSAGE_FORMS)[keyof typeof MESSAGE_FORMS]

/**
 * A decoded message that is not checked yet. `data` is always decoded from `dataBytes`, the exact bytes
 * that are hashed: field 7 when it is not empty, else those of field 1 (see decodeMessage).
 */
export type SignedMessage = {
  readonly data: MessageData
  /** `data.fid` as a number; 0 when missing, and never above 2^32 - 1 once checked. */
  readonly fid: number
  readonly dataBytes: Uint8Array
  readonly form: MessageForm
  readonly hash: Uint8Array
  readonly hashScheme: number
  readonly signature: Uint8Array
  readonly signatureScheme: number
  readonly signer: Uint8Array
}
