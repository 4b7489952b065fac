import { SIGNATURE_BYTES } from '../../protocol/crypto/ed25519.ts'
import { HASH_BYTES, KEY_BYTES } from '../../protocol/sizes.ts'
import { Candidate, type CheckedRow } from './candidate.ts'

/**
 * Checked rows as two buffers, because posting a thousand small byte strings to a thread costs more
 * than merging them. `numbers` holds NUMBERS_PER_ROW numbers for each row, then the fids it mentions;
 * `bytes` holds its hash, signer, signature, slot, target, data and answer.
 */
export type PackedBatch = { readonly numbers: Float64Array; readonly bytes: Uint8Array }

const NUMBERS_PER_ROW = 10
/** The length of a byte string that is not there. */
const ABSENT = -1

export function packBatch(candidates: readonly Candidate[]): PackedBatch {
  let numberCount = 0
  let byteCount = 0
  for (const { row, answer } of candidates) {
    numberCount += NUMBERS_PER_ROW + row.mentions.length
    for (const part of partsOf(row, answer)) byteCount += part?.length ?? 0
  }
  const numbers = new Float64Array(numberCount)
  const bytes = new Uint8Array(byteCount)
  let n = 0
  let b = 0
  for (const { row, answer } of candidates) {
    const { fid, store, type, timestamp, form, slot, target, data, mentions } = row
    numbers.set([fid, store, type, timestamp, form, slot.length], n)
    numbers.set([target?.length ?? ABSENT, data.length, answer?.length ?? ABSENT], n + 6)
    numbers[n + 9] = mentions.length
    numbers.set(mentions, n + NUMBERS_PER_ROW)
    n += NUMBERS_PER_ROW + mentions.length
    for (const part of partsOf(row, answer)) {
      if (!part) continue
      bytes.set(part, b)
      b += part.length
    }
  }
  return { numbers, bytes }
}

/** How many rows were packed. */
export function countRows(numbers: Float64Array): number {
  let count = 0
  for (let n = 0; n < numbers.length; count++) n += NUMBERS_PER_ROW + numbers[n + 9]!
  return count
}

/** The byte strings of a row in the order in which they are packed. */
const partsOf = (row: CheckedRow, answer: Uint8Array | undefined) =>
  [row.hash, row.signer, row.signature, row.slot, row.target, row.data, answer] as const

/** The candidates that were packed. Their byte strings are views of `bytes`. */
export function unpackBatch({ numbers, bytes }: PackedBatch): Candidate[] {
  const candidates: Candidate[] = []
  let n = 0
  let b = 0
  const take = (length: number) => {
    b += length
    return bytes.subarray(b - length, b)
  }
  while (n < numbers.length) {
    // By index: to iterate over an array of numbers costs several times as much.
    const targetLength = numbers[n + 6]!
    const ownerLength = numbers[n + 8]!
    const mentionCount = numbers[n + 9]!
    const end = n + NUMBERS_PER_ROW + mentionCount
    const row: CheckedRow = {
      fid: numbers[n]!,
      store: numbers[n + 1]!,
      type: numbers[n + 2]!,
      timestamp: numbers[n + 3]!,
      form: numbers[n + 4]!,
      hash: take(HASH_BYTES),
      signer: take(KEY_BYTES),
      signature: take(SIGNATURE_BYTES),
      slot: take(numbers[n + 5]!),
      target: targetLength === ABSENT ? null : take(targetLength),
      data: take(numbers[n + 7]!),
      mentions: mentionCount === 0 ? [] : [...numbers.subarray(end - mentionCount, end)],
    }
    n = end
    const answer = ownerLength === ABSENT ? undefined : take(ownerLength)
    candidates.push(new Candidate(row, answer))
  }
  return candidates
}
