import { LONG } from './effort.ts'

/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** 0 ... below. */
  int(below: number): number
  pick<T>(from: readonly T[]): T
  shuffled<T>(list: readonly T[]): T[]
  /** The list cut into pieces of 1 ... max. */
  cut<T>(list: readonly T[], max: number): T[][]
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    pick: (from) => from[int(from.length)]!,
    shuffled(list) {
      const result = [...list]
      for (let i = result.length - 1; i > 0; i--) {
        const j = int(i + 1)
        const held = result[i]!
        result[i] = result[j]!
        result[j] = held
      }
      return result
    },
    cut(list, max) {
      const pieces = []
      for (let at = 0; at < list.length; ) {
        const size = 1 + int(max)
        pieces.push(list.slice(at, at + size))
        at += size
      }
      return pieces
    },
  }
}

/** Everyday runs take the same inputs each time: a failure is never the luck of a run. */
const EVERYDAY_SEED = 20_260_101

/** The seed of random tests: TEST_SEED, as an earlier run printed it; a new one in each long run. */
export function runSeed(): number {
  const { TEST_SEED } = process.env
  if (TEST_SEED !== undefined) return Number(TEST_SEED)
  return LONG ? Math.floor(Math.random() * 2 ** 31) : EVERYDAY_SEED
}
