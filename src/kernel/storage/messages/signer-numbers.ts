import type { Engine } from '../engines/engine.ts'
import { listStatement } from '../engines/sql.ts'

// On the embedded store a message names the key that signed it by a number, which never changes (docs/design/submits.md).

const NUMBERS = listStatement(
  { key: 'bytea' },
  'select k.id, k.key from input i join signer_key k on k.key = i.key',
)

/** Keys of which an engine remembers the numbers, about 200 bytes each. */
const MAX_REMEMBERED = 8_192

/** As a bigint the number is kept as an integer: the driver takes a number for a float. */
type Numbered = { readonly key: Uint8Array; readonly id: bigint }

/** By the first bytes of keys: making a string of a key costs more than the cache saves. */
const remembered = new WeakMap<Engine, Map<number, Numbered>>()

/**
 * The numbers of the signers of these messages; undefined where a key has none. Only committed numbers are given,
 * since another key gets the number when a transaction fails.
 */
export async function signerNumbers(
  engine: Engine,
  list: readonly { readonly signer: Uint8Array }[],
): Promise<(bigint | undefined)[]> {
  const known = remembered.getOrInsertComputed(engine, () => new Map())
  const numbers = list.map(({ signer }) => numberIn(known, signer))
  if (!numbers.includes(undefined)) return numbers
  if (known.size > MAX_REMEMBERED) known.clear()
  const missing = list.filter((_, i) => numbers[i] === undefined)
  const keys = new Map(missing.map(({ signer }) => [placeOf(signer), { key: signer }]))
  const found = await engine.each(NUMBERS, [...keys.values()])
  for (const { id, key } of found as { id: number; key: Uint8Array }[]) {
    known.set(placeOf(key), { key, id: BigInt(id) })
  }
  return list.map(({ signer }) => numberIn(known, signer))
}

function numberIn(known: ReadonlyMap<number, Numbered>, key: Uint8Array): bigint | undefined {
  const one = known.get(placeOf(key))
  return one && isSame(one.key, key) ? one.id : undefined
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return a.length === b.length
}

const placeOf = (key: Uint8Array): number =>
  (key[0]! << 24) | (key[1]! << 16) | (key[2]! << 8) | key[3]!
