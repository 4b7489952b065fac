import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { BytesMap } from './bytes-map.ts'

test('a map by bytes finds what was set last, by the content of the key, among keys with equal hashes too', () => {
  const map = new BytesMap<number>()
  const key = (n: number) => createHash('sha256').update(String(n)).digest()
  // Two of so many keys have the same hash of 30 bits.
  const count = 100_000
  for (let n = 0; n < count; n++) map.set(key(n), n)
  for (let n = 0; n < count; n += 2) map.set(key(n), undefined)
  for (let n = 0; n < count; n++) assert.equal(map.get(key(n)), n % 2 === 0 ? undefined : n)
  assert.equal(map.get(key(count)), undefined)
  assert.equal(map.get(new Uint8Array(0)), undefined)
})
