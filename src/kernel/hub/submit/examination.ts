import { checkMessage, dependsOnPro } from '../../protocol/check.ts'
import { decodeMessage } from '../../protocol/codec/decode.ts'
import { verifyEd25519 } from '../../protocol/crypto/ed25519.ts'
import type { SignedMessage } from '../../protocol/message.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { isStorable } from '../../protocol/slots.ts'
import { networkTime } from '../../protocol/time.ts'
import { questionOf } from '../kinds/kinds.ts'
import { Candidate } from './candidate.ts'
import { type PackedBatch, packBatch } from './message-batch.ts'
import { type PostedRejection, postRejection } from './posted-rejection.ts'

// Everything about a submitted message that depends on its bytes alone: it is decoded, checked and verified, and its row
// is computed, many at a time and in a thread: the garbage of decoding would otherwise be collected on the thread of the
// requests.

/** The results of an examination. */
export const VERDICTS = {
  refused: 0,
  /** It may be merged. */
  valid: 1,
  /** It may be merged when its question is answered. */
  asks: 2,
} as const

export type ExaminationSettings = {
  /** Of CheckContext. */
  readonly network: number | undefined
}

export type Admission = {
  /** Unix milliseconds. */
  readonly nowMs: number
  /** Whether another hub has stored the messages; else they are sent to this one. */
  readonly areStored: boolean
}

/** Bodies as they are posted to a thread: one after the other, and where each ends. */
export type Bodies = Admission & {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
}

/** The fields of a message that a refusal reports, and that choose which of several broken rules is reported. */
export type Head = Pick<SignedMessage, 'fid' | 'signer' | 'hash'> & {
  readonly type: number
  /** Network seconds. */
  readonly timestamp: number
}

export type Refused = {
  readonly rejection: PostedRejection
  /** Undefined for bytes that are no message. */
  readonly head: Head | undefined
}

/** What has to be known about a message besides its bytes. */
export type Question = {
  /** Why the message is refused unless its author has a pro subscription; undefined when that does not matter. */
  readonly withoutPro: PostedRejection | undefined
  /** Whether a chain or the registry has to be asked. */
  readonly asksOutside: boolean
}

/** The results of a batch of bodies. */
export type Examined = {
  /** In the order of the bodies. */
  readonly verdicts: Uint8Array
  /** Of the valid ones, in their order. */
  readonly valid: PackedBatch
  /** Of those with a question, in their order. */
  readonly asking: PackedBatch
  readonly questions: readonly Question[]
  /** Of the refused ones, in their order. */
  readonly refused: readonly Refused[]
}

export function packBodies(bodies: readonly Uint8Array[], admission: Admission): Bodies {
  const bytes = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, 0))
  const ends = new Uint32Array(bodies.length)
  let at = 0
  for (let i = 0; i < bodies.length; i++) {
    bytes.set(bodies[i]!, at)
    at += bodies[i]!.length
    ends[i] = at
  }
  return { ...admission, bytes, ends }
}

type Checked = { readonly message: SignedMessage; readonly question: Question | undefined }

const isRefused = (one: Checked | Refused): one is Refused => 'rejection' in one

/** Examines bodies: decodes, checks and verifies them. Never throws because of a body. */
export function examine(
  { bytes, ends, nowMs, areStored }: Bodies,
  { network }: ExaminationSettings,
): Examined {
  const context = { now: networkTime(nowMs), network }
  const check = areStored ? checkStored : checkAll
  const read: (Checked | Refused)[] = []
  for (let i = 0; i < ends.length; i++) {
    read.push(checkBody(bytes.subarray(ends[i - 1] ?? 0, ends[i]), (one) => check(one, context)))
  }
  // One step for all messages and then the next: in turn for each, the steps would drive each other's code and tables
  // out of the processor's caches, which costs a third more.
  const verified = read.map((one) =>
    isRefused(one) || isSigned(one.message) ? one : refuse(INVALID_SIGNATURE, one.message),
  )
  const checked = verified.filter((one): one is Checked => !isRefused(one))
  const asking = checked.filter(({ question }) => question)
  return {
    verdicts: Uint8Array.from(verified, verdictOf),
    valid: packBatch(checked.filter(({ question }) => !question).map(candidateOf)),
    asking: packBatch(asking.map(candidateOf)),
    questions: asking.map(({ question }) => question!),
    refused: verified.filter(isRefused),
  }
}

const candidateOf = ({ message }: Checked) => Candidate.of(message)

function verdictOf(one: Checked | Refused): number {
  if (isRefused(one)) return VERDICTS.refused
  return one.question ? VERDICTS.asks : VERDICTS.valid
}

type CheckContext = Parameters<typeof checkMessage>[1]

function checkBody(
  body: Uint8Array,
  check: (message: SignedMessage) => Checked['question'],
): Checked | Refused {
  let message: SignedMessage | undefined
  try {
    message = decodeMessage(body)
    const question = check(message)
    checkStorable(message)
    return { message, question }
  } catch (error) {
    // A fault of ours refuses this message and no other one of the batch.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return refuse(
      error instanceof Rejection ? error : new Rejection('internal_error', text),
      message,
    )
  }
}

/**
 * Applies every rule that needs nothing but the message, except its Ed25519 signature. Returns what else has to be known
 * about it. Throws a Rejection.
 */
export function checkAll(message: SignedMessage, context: CheckContext): Question | undefined {
  const withoutPro = dependsOnPro(message) ? checkWithPro(message, context) : undefined
  if (!dependsOnPro(message)) checkMessage(message, context)
  const asks = questionOf(message.data) !== undefined
  return withoutPro || asks ? { withoutPro, asksOutside: asks } : undefined
}

/**
 * The same for a message that another hub has stored: what depends on its time, on a subscription then and on what a chain
 * said then is left to that hub.
 */
function checkStored(message: SignedMessage, context: CheckContext): Question | undefined {
  checkMessage(message, { ...context, pro: true, anyAge: true })
  if (questionOf(message.data) !== 'keySigners') return undefined
  return { withoutPro: undefined, asksOutside: true }
}

/** Returns why the message is refused without a subscription. Throws when it is refused with one, too. */
function checkWithPro(message: SignedMessage, context: CheckContext): PostedRejection | undefined {
  checkMessage(message, { ...context, pro: true })
  try {
    checkMessage(message, { ...context, pro: false })
    return undefined
  } catch (error) {
    if (error instanceof Rejection) return postRejection(error)
    throw error
  }
}

function checkStorable({ data }: SignedMessage): void {
  if (isStorable(data.type)) return
  throw new Rejection('bad_request.validation_failure', 'invalid message type', {
    field: 'data.type',
  })
}

/** Whether the signature of a message is valid, over its hash or over its data. */
export const isSigned = ({ signature, hash, signer, dataBytes }: SignedMessage): boolean =>
  verifyEd25519(signature, hash, signer) || verifyEd25519(signature, dataBytes, signer)

export const headOf = ({ fid, signer, hash, data }: SignedMessage): Head => ({
  fid,
  signer,
  hash,
  type: data.type,
  timestamp: data.timestamp,
})

const refuse = (rejection: Rejection, message: SignedMessage | undefined): Refused => ({
  rejection: postRejection(rejection),
  head: message && headOf(message),
})

export const INVALID_SIGNATURE = new Rejection(
  'bad_request.validation_failure',
  'invalid signature',
  { field: 'signature' },
)
