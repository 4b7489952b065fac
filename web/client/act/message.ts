import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { blake3 } from '@noble/hashes/blake3.js'
import {
  HashScheme,
  MessageDataSchema,
  MessageSchema,
  MessageType,
  SignatureScheme,
} from '../../../src/kernel/protocol/wire/message_pb.js'
import { bytesOf, hexOf } from '../../shared/bytes.ts'
import { t } from '../../shared/messages.ts'
import { inLanguage, Refusal, Unreachable } from '../../shared/request.ts'
import { noteEvent } from '../own-writes.ts'
import { noteRefusal } from './key-gone.ts'
import type { BrowserKey } from './key-store.ts'
import { networkNow, networkNumber } from './network.ts'
import { refusedWords } from './refused-words.ts'

// Builds messages, signs them in the browser and submits them to the hub. Loaded when somebody first acts.

export { bytesOf, hexOf, MessageType }
export type Body = NonNullable<MessageInitShape<typeof MessageDataSchema>['body']>

/** The epoch of Farcaster, 2021-01-01, in Unix seconds. */
const EPOCH_SECONDS = 1_609_459_200
const HASH_BYTES = 20
const TIMEOUT_MS = 20_000
/** An account adds one gasless key a minute. */
const MAX_WAIT_SECONDS = 61

/** The time of messages: seconds since 2021. */
export const networkSeconds = async (): Promise<number> => (await networkNow()) - EPOCH_SECONDS

/** A message as it is sent: the same bytes can be sent again, and are stored once. */
export type Signed = { readonly hash: string; readonly bytes: Uint8Array }

/**
 * Signs a message as an account and submits it. Returns its hash. A Refusal says why it was not accepted. With `onWait`, a
 * message that may be accepted within MAX_WAIT_SECONDS is sent once more then, and `onWait` is told when that is.
 */
export async function sendMessage(
  key: BrowserKey,
  type: MessageType,
  body: Body,
  onWait?: (until: number) => void,
): Promise<string> {
  const { hash, bytes } = await signMessage(key, type, body)
  const waitSeconds = await submit(bytes, onWait ? MAX_WAIT_SECONDS : 0)
  if (waitSeconds > 0) {
    onWait?.(Date.now() + waitSeconds * 1_000)
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000))
    await submit(bytes, 0)
  }
  return hash
}

/** Where the time of the newest cast that this browser signed is kept. */
const LAST_CAST = 'rookery.last-cast'
/** Casts are signed this far ahead of the clock at most, which is more than a thread needs. */
const MAX_AHEAD_SECONDS = 60
let lastCast = 0

/** Lists have no order within a second: each cast of this browser is at least a second later than the one before it. */
async function timeOf(type: MessageType): Promise<number> {
  const now = await networkSeconds()
  if (type !== MessageType.CAST_ADD) return now
  const next = Math.max(lastCast, readLastCast()) + 1
  lastCast = next > now && next <= now + MAX_AHEAD_SECONDS ? next : now
  keepLastCast()
  return lastCast
}

function readLastCast(): number {
  try {
    return Number(localStorage.getItem(LAST_CAST))
  } catch {
    return 0
  }
}

function keepLastCast(): void {
  try {
    localStorage.setItem(LAST_CAST, String(lastCast))
  } catch {
    // Without storage, as in some private windows, it ends with the page.
  }
}

export async function signMessage(key: BrowserKey, type: MessageType, body: Body): Promise<Signed> {
  const data = create(MessageDataSchema, {
    type,
    fid: BigInt(key.fid),
    timestamp: await timeOf(type),
    network: await networkNumber(),
    body,
  })
  const dataBytes = toBinary(MessageDataSchema, data)
  const hash = blake3(dataBytes, { dkLen: HASH_BYTES })
  const message = create(MessageSchema, {
    dataBytes,
    hash,
    hashScheme: HashScheme.BLAKE3,
    signature: await key.sign(hash),
    signatureScheme: SignatureScheme.ED25519,
    signer: key.publicKey,
  })
  return { hash: hexOf(hash), bytes: toBinary(MessageSchema, message) }
}

/** Submits a message, perhaps once more: one that is stored already was sent before. */
export async function submitAgain(bytes: Uint8Array): Promise<void> {
  try {
    await submit(bytes, 0)
  } catch (error) {
    if (!(error instanceof Refusal && error.reason === 'bad_request.duplicate')) throw error
  }
}

/** Returns 0, or in how many seconds a message may be sent again that is refused now. */
async function submit(bytes: Uint8Array, maxWaitSeconds: number): Promise<number> {
  const response = await fetch('/hub/v1/submitMessage', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw new Unreachable(cause)
  })
  if (response.ok) {
    noteEvent(Number(response.headers.get('x-rookery-event-id')))
    return 0
  }
  const seconds = Number(response.headers.get('retry-after'))
  if (response.status === 429 && seconds > 0 && seconds <= maxWaitSeconds) return seconds
  const { error, details, message, errCode } = await response.json().catch(() => ({}))
  const said = refusedWords(error, details ?? message)
  const refused = new Refusal(
    response.status,
    said ?? t('The server answered {status}', { status: response.status }),
    {
      reason: errCode,
      requestId: response.headers.get('x-request-id') ?? undefined,
    },
  )
  // What has words for people has them in the language of the page.
  const refusal = said === (details ?? message) ? await inLanguage(refused) : refused
  noteRefusal(refusal)
  throw refusal
}
