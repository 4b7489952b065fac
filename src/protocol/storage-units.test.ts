import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MESSAGE_SETS } from './slots.ts'
import { activeUnits, limitOf, unitExpiry, unitTypeAt } from './storage-units.ts'

const MAINNET = 1
const DEVNET = 3
const YEAR = 31_536_000
const FROM_2024 = 1_724_889_600

/** [network, first second of the 2025 unit, first second without the extra year] */
const NETWORKS = [
  [MAINNET, 1_752_685_200, 1_782_147_600],
  [2, 1_752_426_000, 1_781_283_600],
  [DEVNET, 1_752_426_000, 1_781_283_600],
] as const

for (const [network, from2025, extendedUntil] of NETWORKS) {
  test(`storage units on network ${network} have the kind and lifetime of their purchase time`, () => {
    const rows = [
      [0, 'legacy', 4],
      [FROM_2024 - 1, 'legacy', 4],
      [FROM_2024, 'u2024', 3],
      [from2025 - 1, 'u2024', 3],
      [from2025, 'u2025', 2],
      [extendedUntil - 1, 'u2025', 2],
      [extendedUntil, 'u2025', 1],
    ] as const
    for (const [rentedAt, type, years] of rows) {
      assert.equal(unitTypeAt(rentedAt, network), type)
      assert.equal(unitExpiry(rentedAt, network), rentedAt + years * YEAR)
    }
  })
}

test('a storage unit counts until the second before its expiry', () => {
  const rents = [{ rentedAt: FROM_2024, units: 2 }]
  const end = FROM_2024 + 3 * YEAR
  assert.equal(activeUnits(rents, end - 1, MAINNET).u2024, 2)
  assert.equal(activeUnits(rents, end, MAINNET).u2024, 0)
})

test('storage units of one kind add up, and so do the limits of all kinds', () => {
  const rents = [
    { rentedAt: FROM_2024 - 1, units: 1 },
    { rentedAt: FROM_2024, units: 2 },
    { rentedAt: FROM_2024 + 1, units: 1 },
    { rentedAt: 1_752_685_200, units: 10 },
  ]
  const units = activeUnits(rents, 1_752_685_200, MAINNET)
  assert.deepEqual(units, { legacy: 1, u2024: 3, u2025: 10 })
  assert.equal(limitOf(units, MESSAGE_SETS.casts), 5000 + 3 * 2000 + 10 * 100)
  assert.equal(limitOf(units, MESSAGE_SETS.links), 2500 + 3 * 1000 + 10 * 200)
  assert.equal(limitOf(units, MESSAGE_SETS.reactions), 2500 + 3 * 1000 + 10 * 200)
  assert.equal(limitOf(units, MESSAGE_SETS.userData), 50 + 3 * 50 + 10 * 25)
  assert.equal(limitOf(units, MESSAGE_SETS.usernameProofs), 5 + 3 * 5 + 10 * 2)
  assert.equal(limitOf(units, MESSAGE_SETS.verifications), 25 + 3 * 25 + 10 * 5)
  assert.equal(limitOf(units, MESSAGE_SETS.linkCompactState), 0)
})

test('without storage units every limit is 0', () => {
  assert.equal(limitOf(activeUnits([], 0, MAINNET), MESSAGE_SETS.casts), 0)
})
