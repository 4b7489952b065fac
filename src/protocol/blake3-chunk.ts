// BLAKE3 of inputs of one chunk, as nearly all messages are. The library of hash.ts makes several objects for each step;
// this takes a third of its time, and a test compares the two.

/** The largest input of one chunk. */
export const CHUNK_BYTES = 1_024
const BLOCK_BYTES = 64
const ROUND_WORDS = 16
const CHUNK_START = 1
const CHUNK_END = 2
const ROOT = 8

const IV = Int32Array.of(
  ...[0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a],
  ...[0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19],
)
/** Which word of a block each step takes, for the seven rounds one after the other. */
const SCHEDULE = scheduleOf(7)

const block = new Uint8Array(BLOCK_BYTES)
const words = new DataView(block.buffer)
const message = new Int32Array(ROUND_WORDS)
/** The chaining value. */
const chain = new Int32Array(8)
const state = new Int32Array(16)

/** The first bytes of the hash, at most 32, of an input of at most CHUNK_BYTES. */
export function hashChunk(bytes: Uint8Array, length: number): Uint8Array {
  chain.set(IV)
  const lastBlock = Math.max(0, Math.ceil(bytes.length / BLOCK_BYTES) - 1) * BLOCK_BYTES
  for (let at = 0; at <= lastBlock; at += BLOCK_BYTES) {
    const size = loadBlock(bytes, at)
    const flags = (at === 0 ? CHUNK_START : 0) | (at === lastBlock ? CHUNK_END | ROOT : 0)
    compress(size, flags)
  }
  for (let i = 0; i < chain.length; i++) words.setInt32(4 * i, chain[i]!, true)
  return block.slice(0, length)
}

/** Reads the block that begins at `at`, filled up with zeros. Returns its length. */
function loadBlock(bytes: Uint8Array, at: number): number {
  const size = Math.min(BLOCK_BYTES, bytes.length - at)
  for (let i = 0; i < size; i++) block[i] = bytes[at + i]!
  if (size < BLOCK_BYTES) block.fill(0, size)
  for (let i = 0; i < ROUND_WORDS; i++) message[i] = words.getInt32(4 * i, true)
  return size
}

function compress(size: number, flags: number): void {
  state.set(chain)
  state.set(IV.subarray(0, 4), 8)
  state[12] = 0
  state[13] = 0
  state[14] = size
  state[15] = flags
  for (let at = 0; at < SCHEDULE.length; at += ROUND_WORDS) {
    mix(0, 4, 8, 12, at)
    mix(1, 5, 9, 13, at + 2)
    mix(2, 6, 10, 14, at + 4)
    mix(3, 7, 11, 15, at + 6)
    mix(0, 5, 10, 15, at + 8)
    mix(1, 6, 11, 12, at + 10)
    mix(2, 7, 8, 13, at + 12)
    mix(3, 4, 9, 14, at + 14)
  }
  for (let i = 0; i < chain.length; i++) chain[i] = state[i]! ^ state[i + 8]!
}

/** The function G of the specification on four words of the state and the two words of the block at `at`. */
function mix(ia: number, ib: number, ic: number, id: number, at: number): void {
  let a = state[ia]!
  let b = state[ib]!
  let c = state[ic]!
  let d = state[id]!
  a = (a + b + message[SCHEDULE[at]!]!) | 0
  d ^= a
  d = (d >>> 16) | (d << 16)
  c = (c + d) | 0
  b ^= c
  b = (b >>> 12) | (b << 20)
  a = (a + b + message[SCHEDULE[at + 1]!]!) | 0
  d ^= a
  d = (d >>> 8) | (d << 24)
  c = (c + d) | 0
  b ^= c
  b = (b >>> 7) | (b << 25)
  state[ia] = a
  state[ib] = b
  state[ic] = c
  state[id] = d
}

function scheduleOf(rounds: number): Uint8Array {
  const permutation = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
  const schedule: number[] = []
  let round = permutation.map((_, i) => i)
  for (let i = 0; i < rounds; i++) {
    schedule.push(...round)
    round = permutation.map((from) => round[from]!)
  }
  return Uint8Array.from(schedule)
}
