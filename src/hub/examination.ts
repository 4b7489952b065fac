import { checkMessage, dependsOnPro } from '../protocol/check.ts'
import { decodeMessage } from '../protocol/decode.ts'
import { verifyEd25519 } from '../protocol/ed25519.ts'
import type { JsonOptions } from '../protocol/json.ts'
import { JsonBytes } from '../protocol/json-bytes.ts'
import type { SignedMessage } from '../protocol/message.ts'
import { MessageWriter } from '../protocol/message-json.ts'
import { isStorable } from '../protocol/slots.ts'
import { networkTime } from '../protocol/time.ts'
import { Candidate } from './candidate.ts'
import { type PackedBatch, packBatch } from './message-batch.ts'
import { asksOutside } from './outside.ts'
import { packSignatures, type Signed } from './signature-batch.ts'

// Everything about a submitted message that depends on its bytes alone: it is decoded, checked and verified, its row is
// computed and its answer written, many at a time and in a thread. What this makes is garbage at once. On the thread of
// the requests it would be garbage that other requests wait for.

/** What becomes of a body. */
export const VERDICTS = {
  /** It needs more than its bytes (a chain, the store), or it is refused: the caller decodes and checks it. */
  other: 0,
  /** It may be merged. */
  valid: 1,
  /** All that was checked holds but its signature. */
  badSignature: 2,
} as const

export type ExaminationSettings = {
  readonly network: number
  readonly acceptDataSignatures: boolean
  readonly json: JsonOptions
}

/** Bodies as they are posted to a thread: one after the other, and where each ends. `nowMs` is Unix milliseconds. */
export type Bodies = {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
  readonly nowMs: number
}

/** What was found out about bodies, in their order. */
export type Examined = {
  readonly verdicts: Uint8Array
  /** Of those that are valid: their types, their rows, and their JSON in UTF-8 with where each ends. */
  readonly types: Uint8Array
  readonly rows: PackedBatch
  readonly texts: Uint8Array
  readonly textEnds: Uint32Array
}

export function packBodies(bodies: readonly Uint8Array[], nowMs: number): Bodies {
  const bytes = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, 0))
  const ends = new Uint32Array(bodies.length)
  let at = 0
  for (let i = 0; i < bodies.length; i++) {
    bytes.set(bodies[i]!, at)
    at += bodies[i]!.length
    ends[i] = at
  }
  return { bytes, ends, nowMs }
}

/** Verifies packed signatures in another thread, as `verifyPacked` does. */
export type VerifyElsewhere = (packed: Uint8Array) => Promise<Uint8Array>

/** Fewer signatures are verified sooner than they come back from another thread. */
const MIN_SHARED_SIGNATURES = 16
/** Of more than that, the other thread's share. This one decodes and writes besides. */
const SHARE_ELSEWHERE = 0.6

/** Returns the function that examines bodies. It uses its memory again, so each thread has its own. */
export function createExaminer(
  settings: ExaminationSettings,
  verifyElsewhere?: VerifyElsewhere,
): (bodies: Bodies) => Promise<Examined> {
  const out = new JsonBytes()
  const writer = new MessageWriter(out, settings.json)

  // One step for all messages and then the next: in turn for each, the steps would drive each other's code and tables
  // out of the processor's caches, which costs a third more.
  return async (bodies) => {
    const count = bodies.ends.length
    const share = count < MIN_SHARED_SIGNATURES ? 0 : Math.floor(SHARE_ELSEWHERE * count)
    // The other thread begins as soon as its share is decoded.
    const first = verifyElsewhere ? readAll(bodies, 0, share) : []
    const others = verifyElsewhere && share > 0 ? verifyElsewhere(pack(first.filter(isRead))) : []
    const rest = readAll(bodies, first.length, count)
    const read = [...first, ...rest]
    // Nearly all signatures are valid, so what they are answered with is written before they are known to be.
    const checked = read.filter(isRead)
    const written = writeAll(checked)
    const own = rest.filter(isRead).map((one) => isSigned(one, settings))
    const areSigned = [...(await others), ...own]
    let n = 0
    const verdicts = Uint8Array.from(read, (one) => verdictOf(one && areSigned[n++]))
    if (areSigned.every(Boolean)) return { verdicts, ...written }
    return { verdicts, ...writeAll(checked.filter((_, i) => areSigned[i])) }
  }

  /** The messages of the bodies from one place up to another; undefined for those that the caller has to check. */
  function readAll({ bytes, ends, nowMs }: Bodies, from: number, to: number) {
    const read: (SignedMessage | undefined)[] = []
    for (let i = from; i < to; i++) {
      read.push(readValid(bytes.subarray(ends[i - 1] ?? 0, ends[i]), nowMs, settings))
    }
    return read
  }

  function pack(messages: readonly SignedMessage[]): Uint8Array {
    return packSignatures(messages.map(signedOf), settings.acceptDataSignatures)
  }

  function writeAll(valid: readonly SignedMessage[]): Omit<Examined, 'verdicts'> {
    const textEnds = new Uint32Array(valid.length)
    for (const [i, { hash, signer, signature, dataBytes: data, form }] of valid.entries()) {
      writer.writeOne({ hash, signer, signature, data, form })
      textEnds[i] = out.length
    }
    const texts = out.written.slice()
    out.clear()
    const types = Uint8Array.from(valid, ({ data }) => data.type)
    return { types, rows: packBatch(valid.map((one) => Candidate.of(one))), texts, textEnds }
  }
}

const isRead = (message: SignedMessage | undefined) => message !== undefined

/** `isValid` says whether the signature is; undefined for a message that was not read. */
const verdictOf = (isValid: boolean | number | undefined): number => {
  if (isValid === undefined) return VERDICTS.other
  return isValid ? VERDICTS.valid : VERDICTS.badSignature
}

/** The message of a body that keeps all rules and needs no other answer; else undefined. */
function readValid(
  body: Uint8Array,
  nowMs: number,
  { network }: ExaminationSettings,
): SignedMessage | undefined {
  try {
    const message = decodeMessage(body)
    if (dependsOnPro(message)) return undefined
    checkMessage(message, { now: networkTime(nowMs), network })
    return isStorable(message.data.type) && !asksOutside(message) ? message : undefined
  } catch {
    // The caller meets the same error: here, a fault would end the thread and with it the batch.
    return undefined
  }
}

const signedOf = ({ signature, signer, hash, dataBytes }: SignedMessage): Signed => ({
  signature,
  signer,
  hash,
  data: dataBytes,
})

const isSigned = (
  { signature, hash, signer, dataBytes }: SignedMessage,
  { acceptDataSignatures }: ExaminationSettings,
): boolean =>
  verifyEd25519(signature, hash, signer) ||
  (acceptDataSignatures && verifyEd25519(signature, dataBytes, signer))
