import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MESSAGE_SETS } from './slots.ts'
import {
  activeUnits,
  type Borrowed,
  declaredEnd,
  firstLoss,
  type Holding,
  keptUnits,
  limitOf,
  NO_END,
  purchasedUnits,
  type Rent,
  renewalUnits,
  rentEnd,
  STORAGE_GRACE_SECONDS,
  unitTypeAt,
} from './storage-units.ts'

const MAINNET = 1
const DEVNET = 3
const YEAR = 31_536_000
const FROM_2024 = 1_724_889_600
const ENDING = { network: MAINNET, storageEnds: true }
const ENDLESS = { network: MAINNET, storageEnds: false }

/** Rents in the order of the chain. */
const rentsOf = (...rents: (Pick<Rent, 'rented_at' | 'units'> & { ends_at?: number })[]): Rent[] =>
  rents.map((rent, block_number) => ({ block_number, log_index: 0, ends_at: 0, ...rent }))

/** The storage of a fid that neither lends nor borrows. */
const holding = (rents: readonly Rent[]): Holding => ({ rents, lent: NONE, borrowed: [] })
const NONE = { legacy: 0, u2024: 0, u2025: 0 }

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
      const [rent] = rentsOf({ rented_at: rentedAt, units: 1 })
      assert.equal(rentEnd(rent!, { ...ENDING, network }), rentedAt + years * YEAR)
    }
  })
}

test('a storage unit counts until the second before its expiry', () => {
  const rents = rentsOf({ rented_at: FROM_2024, units: 2 })
  const end = FROM_2024 + 3 * YEAR
  assert.equal(purchasedUnits(rents, end - 1, ENDING).u2024, 2)
  assert.equal(purchasedUnits(rents, end, ENDING).u2024, 0)
})

test('storage units of one kind add up, and so do the limits of all kinds', () => {
  const rents = rentsOf(
    { rented_at: FROM_2024 - 1, units: 1 },
    { rented_at: FROM_2024, units: 2 },
    { rented_at: FROM_2024 + 1, units: 1 },
    { rented_at: 1_752_685_200, units: 10 },
  )
  const units = activeUnits(holding(rents), 1_752_685_200, ENDING)
  assert.deepEqual(units.purchased, { legacy: 1, u2024: 3, u2025: 10 })
  assert.equal(limitOf(units, MESSAGE_SETS.casts), 5000 + 3 * 2000 + 10 * 100)
  assert.equal(limitOf(units, MESSAGE_SETS.links), 2500 + 3 * 1000 + 10 * 200)
  assert.equal(limitOf(units, MESSAGE_SETS.reactions), 2500 + 3 * 1000 + 10 * 200)
  assert.equal(limitOf(units, MESSAGE_SETS.userData), 50 + 3 * 50 + 10 * 25)
  assert.equal(limitOf(units, MESSAGE_SETS.usernameProofs), 5 + 3 * 5 + 10 * 2)
  assert.equal(limitOf(units, MESSAGE_SETS.verifications), 25 + 3 * 25 + 10 * 5)
  assert.equal(limitOf(units, MESSAGE_SETS.linkCompactState), 0)
})

test('without storage units every limit is 0', () => {
  assert.equal(limitOf(activeUnits(holding([]), 0, ENDING), MESSAGE_SETS.casts), 0)
})

test('a rent event that declares a year ends as at the deployed hubs, and one that declares another end ends then', () => {
  assert.equal(declaredEnd(FROM_2024, FROM_2024 + YEAR), 0)
  // Hubble counts from 2021.
  assert.equal(declaredEnd(FROM_2024, FROM_2024 + YEAR - 1_609_459_200), 0)
  assert.equal(declaredEnd(FROM_2024, 0), 0)
  assert.equal(declaredEnd(FROM_2024, FROM_2024 + 100), FROM_2024 + 100)
  assert.equal(declaredEnd(FROM_2024, NO_END), NO_END)
  const [rent] = rentsOf({ rented_at: FROM_2024, units: 1, ends_at: FROM_2024 + 100 })
  assert.equal(rentEnd(rent!, ENDING), FROM_2024 + 100)
})

test('storage units count for ever where storage does not end, and where their event declares no end', () => {
  const far = FROM_2024 + 100 * YEAR
  const rents = rentsOf({ rented_at: FROM_2024, units: 2 })
  assert.equal(purchasedUnits(rents, far, ENDLESS).u2024, 2)
  assert.equal(purchasedUnits(rents, far, ENDING).u2024, 0)
  const endless = rentsOf({ rented_at: FROM_2024, units: 3, ends_at: NO_END })
  assert.equal(purchasedUnits(endless, far, ENDING).u2024, 3)
})

test('storage units without an end take the place of earlier ones with an end, in any order of arrival', () => {
  const rents = rentsOf(
    { rented_at: FROM_2024, units: 1 },
    { rented_at: FROM_2024, units: 10, ends_at: NO_END },
    { rented_at: FROM_2024, units: 100 },
    { rented_at: FROM_2024, units: 1_000, ends_at: NO_END },
    { rented_at: FROM_2024, units: 10_000, ends_at: FROM_2024 + 100 },
  )
  for (const list of [rents, rents.toReversed()]) {
    assert.equal(purchasedUnits(list, FROM_2024, ENDLESS).u2024, 11_010)
    assert.equal(purchasedUnits(list, FROM_2024 + 100, ENDING).u2024, 1_010)
  }
})

test('messages are kept through the grace time of the units that held them', () => {
  const rents = rentsOf({ rented_at: FROM_2024, units: 1, ends_at: FROM_2024 + 100 })
  const grace = FROM_2024 + 100 + STORAGE_GRACE_SECONDS
  assert.equal(keptUnits(holding(rents), grace - 1, ENDING).u2024, 1)
  assert.equal(keptUnits(holding(rents), grace, ENDING).u2024, 0)
})

test('the first loss is the first end after which the units that are left hold less than is stored', () => {
  const END = FROM_2024 + 100
  const rents = rentsOf(
    { rented_at: FROM_2024, units: 1, ends_at: END },
    { rented_at: FROM_2024, units: 1, ends_at: END + 1_000 },
  )
  const lossOf = (count: number, now = FROM_2024, list = rents, terms = ENDING) =>
    firstLoss(holding(list), [{ store: MESSAGE_SETS.casts, count }], now, terms)?.end
  assert.equal(lossOf(2_001), END)
  assert.equal(lossOf(2_000), END + 1_000)
  assert.equal(lossOf(0), END + 1_000)
  assert.equal(lossOf(2_001, END + STORAGE_GRACE_SECONDS - 1), END)
  assert.equal(lossOf(2_001, END + STORAGE_GRACE_SECONDS), END + 1_000)
  assert.equal(lossOf(2_001, END + 1_000 + STORAGE_GRACE_SECONDS), undefined)
  assert.equal(lossOf(2_001, FROM_2024, rents, ENDLESS), undefined)
  // What is rented in the grace time holds it.
  const more = rentsOf(...rents, { rented_at: END, units: 2, ends_at: NO_END - 1 })
  assert.equal(lossOf(2_001, END, more), NO_END - 1)
  assert.equal(
    lossOf(2_001, END, rentsOf(...more, { rented_at: END, units: 2, ends_at: NO_END })),
    undefined,
  )
})

test('a renewal has as many units as hold what the units before hold', () => {
  assert.equal(renewalUnits({ legacy: 0, u2024: 0, u2025: 20 }), 20)
  assert.equal(renewalUnits({ legacy: 0, u2024: 1, u2025: 0 }), 20)
  assert.equal(renewalUnits({ legacy: 1, u2024: 0, u2025: 3 }), 53)
  assert.equal(renewalUnits({ legacy: 0, u2024: 0, u2025: 0 }), 0)
})

const NOW = FROM_2024 + YEAR
const LOAN_END = NOW + 1_000

/** A lender of `units` of its 12, of which 2 are left after LOAN_END, and its loan of 3 that was ended or not. */
function lenderAndLoan(units: number, loan: Partial<Borrowed> = {}) {
  const rents = rentsOf(
    { rented_at: FROM_2024, units: 10, ends_at: LOAN_END },
    { rented_at: FROM_2024, units: 2 },
  )
  const lender: Holding = { ...holding(rents), lent: { ...NONE, u2024: units } }
  const borrowed: Borrowed = { unit_type: 1, units: 3, since: NOW, ended_at: 0, lender, ...loan }
  return { lender, borrower: { ...holding([]), borrowed: [borrowed] } }
}

test('lent units count for the borrower and not for the lender, until the units of the lender no longer cover all that it lends', () => {
  const { lender, borrower } = lenderAndLoan(3)
  const of = (who: Holding, at: number) => activeUnits(who, at, ENDING).u2024
  assert.deepEqual([of(lender, NOW), of(borrower, NOW)], [9, 3])
  assert.deepEqual([of(lender, LOAN_END - 1), of(borrower, LOAN_END - 1)], [9, 3])
  assert.deepEqual([of(lender, LOAN_END), of(borrower, LOAN_END)], [2, 0])
  const covered = lenderAndLoan(2, { units: 2 })
  assert.deepEqual([of(covered.lender, LOAN_END), of(covered.borrower, LOAN_END)], [0, 2])
  // The messages of both are kept through the grace time.
  const kept = (who: Holding, at: number) => keptUnits(who, at, ENDING).u2024
  const grace = LOAN_END + STORAGE_GRACE_SECONDS
  assert.deepEqual([kept(lender, grace - 1), kept(borrower, grace - 1)], [9, 3])
  assert.deepEqual([kept(lender, grace), kept(borrower, grace)], [2, 0])
  assert.deepEqual(firstLoss(borrower, [], NOW, ENDING), { end: LOAN_END, prunedFrom: grace })
  assert.equal(firstLoss(borrower, [], grace, ENDING), undefined)
})

test('only what is rented limits what a fid lends', () => {
  const { lender, borrower } = lenderAndLoan(3)
  const lends = (who: Holding) => limitOf(activeUnits(who, NOW, ENDING), MESSAGE_SETS.storageLends)
  assert.deepEqual([lends(lender), lends(borrower)], [12, 0])
  const { purchased, lent } = activeUnits(lender, NOW, ENDING)
  assert.deepEqual([purchased.u2024, lent.u2024], [12, 3])
  assert.equal(activeUnits(borrower, NOW, ENDING).borrowed.u2024, 3)
})

test('what a lender ended is kept as long again as it was lent, at most through the grace time', () => {
  const keptAt = (ended_at: number, at: number) =>
    keptUnits(lenderAndLoan(0, { ended_at }).borrower, at, ENDING).u2024
  const ended = NOW + 60
  assert.equal(activeUnits(lenderAndLoan(0, { ended_at: ended }).borrower, ended, ENDING).u2024, 0)
  assert.deepEqual([keptAt(ended, ended + 59), keptAt(ended, ended + 60)], [3, 0])
  const late = NOW + 2 * STORAGE_GRACE_SECONDS
  const last = late + STORAGE_GRACE_SECONDS
  assert.deepEqual([keptAt(late, last - 1), keptAt(late, last)], [3, 0])
})
