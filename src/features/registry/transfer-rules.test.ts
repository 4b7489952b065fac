import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NAME_CHANGE_INTERVAL_SECONDS as INTERVAL, type NameIntervals } from './settings.ts'
import type { StoredTransfer } from './tables/name-transfers.ts'
import { decideTransfer, type NameHistory, type NameRequest } from './transfer-rules.ts'

const NOW = 1_767_225_600
const LONG_AGO = NOW - INTERVAL
const [alices, bobs] = [1, 2].map((byte) => new Uint8Array(20).fill(byte)) as [
  Uint8Array,
  Uint8Array,
]
const [ALICE, BOB, CAROL] = [1, 2, 3] as const

type Row = { name?: string; from: number; to: number; at?: number; owner?: Uint8Array }
const row = ({ name = 'n', from, to, at = LONG_AGO, owner = alices }: Row): StoredTransfer => ({
  id: 7,
  timestamp: at,
  username: name,
  owner,
  from_fid: from,
  to_fid: to,
  user_signature: Uint8Array.of(1),
  server_signature: Uint8Array.of(2),
  acting_fid: to || from,
})

const request = (from: number, to: number, more: Partial<NameRequest> = {}): NameRequest => ({
  name: 'n',
  from,
  to,
  owner: alices,
  timestamp: NOW,
  byAdmin: false,
  ...more,
})

/** 'transfer', 'repeat', or the code of the refusal. */
function outcome(
  history: Partial<NameHistory>,
  asked: NameRequest,
  now = NOW,
  intervals?: NameIntervals,
): string {
  const decision = decideTransfer(
    { latest: undefined, held: undefined, ...history },
    asked,
    now,
    intervals,
  )
  return decision.outcome === 'refused' ? decision.rejection.code : decision.outcome
}

const register = request(0, ALICE)
const release = request(ALICE, 0)
const move = request(ALICE, BOB)
const held = row({ from: 0, to: ALICE })
const released = row({ from: ALICE, to: 0 })
const byAdmin = { byAdmin: true }

type Case = [what: string, history: Partial<NameHistory>, asked: NameRequest, outcome: string]

const CASES: readonly Case[] = [
  ['a new name is registered', {}, register, 'transfer'],
  ['a held name is released by its holder', { latest: held }, release, 'transfer'],
  ['a held name is moved by its holder', { latest: held }, move, 'transfer'],
  ['a released name is registered by anybody', { latest: released }, register, 'transfer'],

  ['a held name is not registered', { latest: held }, request(0, BOB), 'USERNAME_TAKEN'],
  ['nor released by another', { latest: held }, request(BOB, 0), 'USERNAME_TAKEN'],
  ['nor moved by another', { latest: held }, request(BOB, CAROL), 'USERNAME_TAKEN'],
  [
    'nor given away once more by who has given it away',
    { latest: row({ from: ALICE, to: BOB }) },
    request(ALICE, CAROL),
    'USERNAME_TAKEN',
  ],
  ['a new name is not released', {}, release, 'USERNAME_NOT_FOUND'],
  ['nor moved', {}, move, 'USERNAME_NOT_FOUND'],
  ['a released name is not released', { latest: released }, release, 'USERNAME_NOT_FOUND'],
  ['nor moved', { latest: released }, move, 'USERNAME_NOT_FOUND'],
  [
    'except by an administrator, as if somebody still had it',
    { latest: released },
    request(CAROL, BOB, byAdmin),
    'transfer',
  ],
  ['who may not move a new name either', {}, request(CAROL, BOB, byAdmin), 'USERNAME_NOT_FOUND'],
  [
    'nor release a released one',
    { latest: released },
    request(CAROL, 0, byAdmin),
    'USERNAME_NOT_FOUND',
  ],

  [
    'who has a name gets no second one',
    { held: row({ name: 'm', from: 0, to: ALICE }) },
    register,
    'TOO_MANY_NAMES',
  ],
  [
    'not from another fid either',
    { latest: held, held: row({ name: 'm', from: 0, to: BOB }) },
    move,
    'TOO_MANY_NAMES',
  ],
  [
    'not even from an administrator',
    { held: row({ name: 'm', from: 0, to: ALICE }) },
    { ...register, ...byAdmin },
    'TOO_MANY_NAMES',
  ],
  ['who has the name has it', { latest: held, held }, register, 'repeat'],
  ['whatever the timestamp', { latest: held, held }, { ...register, timestamp: 1 }, 'repeat'],
  [
    'but not with another address',
    { latest: held, held },
    { ...register, owner: bobs },
    'TOO_MANY_NAMES',
  ],
  [
    'the very request that released a name is repeated',
    { latest: row({ from: ALICE, to: 0, at: NOW - 5_000 }) },
    { ...release, timestamp: NOW - 5_000 },
    'repeat',
  ],
  [
    'with other fids it is refused',
    { latest: row({ from: ALICE, to: 0, at: NOW }) },
    { ...register, timestamp: NOW },
    'INVALID_TIMESTAMP',
  ],

  [
    'a name that changed hands a moment ago does not',
    { latest: row({ from: 0, to: ALICE, at: NOW - 1 }) },
    release,
    'THROTTLED',
  ],
  [
    'nor is it registered a moment after its release',
    { latest: row({ from: ALICE, to: 0, at: NOW - 1 }) },
    register,
    'THROTTLED',
  ],
  [
    'except by an administrator',
    { latest: row({ from: ALICE, to: 0, at: NOW - 1 }) },
    { ...register, ...byAdmin },
    'transfer',
  ],
  [
    'a name that was given is released at once',
    { latest: row({ from: BOB, to: ALICE, at: NOW - 1 }) },
    release,
    'transfer',
  ],
  [
    'but not passed on',
    { latest: row({ from: BOB, to: ALICE, at: NOW - 1 }) },
    request(ALICE, CAROL),
    'THROTTLED',
  ],
]

describe('a name changes hands', () => {
  for (const [what, history, asked, expected] of CASES) {
    test(`${what}: ${expected}`, () => assert.equal(outcome(history, asked), expected))
  }

  test('a transfer needs a timestamp within ten minutes of now', () => {
    for (const [off, expected] of [
      [-601, 'INVALID_TIMESTAMP'],
      [-600, 'transfer'],
      [600, 'transfer'],
      [601, 'INVALID_TIMESTAMP'],
    ] as const) {
      assert.equal(outcome({}, { ...register, timestamp: NOW + off }), expected, `${off}`)
      const asAdmin = { ...register, ...byAdmin, timestamp: NOW + off }
      assert.equal(outcome({}, asAdmin), expected, `${off} by an administrator`)
    }
  })

  test('a transfer needs a later timestamp than the one before, also for administrators', () => {
    for (const [at, expected] of [
      [NOW + 1, 'INVALID_TIMESTAMP'],
      [NOW, 'INVALID_TIMESTAMP'],
      [NOW - 1, 'transfer'],
    ] as const) {
      const latest = row({ from: ALICE, to: 0, at })
      assert.equal(outcome({ latest }, { ...request(0, BOB), ...byAdmin }), expected, `${at}`)
    }
  })

  test('a name may change owners 28 days after the last change, to the second, by signed time', () => {
    for (const [at, expected] of [
      [LONG_AGO + 1, 'THROTTLED'],
      [LONG_AGO, 'transfer'],
      [LONG_AGO - 1, 'transfer'],
    ] as const) {
      const latest = row({ from: 0, to: ALICE, at })
      assert.equal(outcome({ latest }, release), expected, `${at}`)
    }
    const latest = row({ from: 0, to: ALICE, at: LONG_AGO + 600 })
    assert.equal(outcome({ latest }, { ...release, timestamp: NOW + 600 }), 'transfer')
  })

  test('the interval between changes of a name is a setting', () => {
    const latest = row({ from: 0, to: ALICE, at: NOW - 10 })
    assert.equal(outcome({ latest }, release, NOW, { change: 11, undo: 0 }), 'THROTTLED')
    assert.equal(outcome({ latest }, release, NOW, { change: 10, undo: 0 }), 'transfer')
    assert.equal(outcome({ latest }, release, NOW, { change: 0, undo: 0 }), 'transfer')
  })

  describe('the first day of a fid that has a name', () => {
    const intervals = { change: INTERVAL, undo: 60 }
    const at = (seconds: number) => row({ from: 0, to: ALICE, at: NOW - seconds })
    const gone = (seconds: number) => row({ from: ALICE, to: 0, at: NOW - seconds })

    test('a holder may release a name until a set time after the first registration', () => {
      const first = (seconds: number) => ({ latest: at(5), recent: [at(seconds)] })
      assert.equal(outcome(first(59), release, NOW, intervals), 'transfer')
      assert.equal(outcome(first(60), release, NOW, intervals), 'THROTTLED')
    })

    test('a fid may give back three names on its first day', () => {
      const twice = [at(50), gone(40), at(30), gone(20), at(10)]
      assert.equal(outcome({ latest: at(10), recent: twice }, release, NOW, intervals), 'transfer')
      const thrice = [...twice, gone(8), at(5)]
      assert.equal(outcome({ latest: at(5), recent: thrice }, release, NOW, intervals), 'THROTTLED')
    })

    test('a fid that had a name before waits, also when it has just changed that', () => {
      const changed = [gone(20), at(10)]
      assert.equal(
        outcome({ latest: at(10), recent: changed }, release, NOW, intervals),
        'THROTTLED',
      )
    })

    test('a name that was registered a moment ago may not be moved', () => {
      assert.equal(outcome({ latest: at(10), recent: [at(10)] }, move, NOW, intervals), 'THROTTLED')
    })

    test('a released name stays locked for other fids', () => {
      const latest = row({ from: ALICE, to: 0, at: NOW - 10 })
      const other = request(0, BOB)
      assert.equal(outcome({ latest }, other, NOW, intervals), 'THROTTLED')
    })
  })

  test('a name that changed owners too recently is refused, and the error says from when on it may', () => {
    const latest = row({ from: 0, to: ALICE, at: NOW - 10 })
    const decision = decideTransfer({ latest, held: undefined }, release, NOW)
    assert(decision.outcome === 'refused')
    assert.match(
      decision.rejection.message,
      /you can transfer or release it from 28 Jan 2026, 23:59 UTC \(1769644790\)/,
    )
  })

  test('a fid that asks for a locked name is told from when it may register it', () => {
    const latest = row({ from: ALICE, to: 0, at: NOW - 10 })
    const decision = decideTransfer({ latest, held: undefined }, request(0, BOB), NOW)
    assert(decision.outcome === 'refused')
    assert.match(decision.rejection.message, /you can register it from 28 Jan 2026, 23:59 UTC/)
  })
})

/** What each request breaks, in the order in which it is to be told. */
const PRECEDENCE: readonly [what: string, history: Partial<NameHistory>, NameRequest, string][] = [
  [
    'a full hand before a wrong time',
    { held: row({ name: 'm', from: 0, to: ALICE }) },
    { ...register, timestamp: 1 },
    'TOO_MANY_NAMES',
  ],
  [
    'a full hand before a taken name',
    { latest: row({ from: 0, to: BOB }), held: row({ name: 'm', from: 0, to: ALICE }) },
    register,
    'TOO_MANY_NAMES',
  ],
  [
    'a full hand before an unknown name',
    { held: row({ name: 'm', from: 0, to: BOB }) },
    move,
    'TOO_MANY_NAMES',
  ],
  [
    'a wrong time before a taken name',
    { latest: row({ from: 0, to: BOB }) },
    { ...register, timestamp: NOW + 601 },
    'INVALID_TIMESTAMP',
  ],
  [
    'a taken name before an earlier time than the last',
    { latest: row({ from: 0, to: BOB, at: NOW }) },
    register,
    'USERNAME_TAKEN',
  ],
  [
    'a name without an owner before an earlier time than the last',
    { latest: row({ from: ALICE, to: 0, at: NOW }) },
    move,
    'USERNAME_NOT_FOUND',
  ],
  ['a wrong time before an unknown name', {}, { ...release, timestamp: 0 }, 'INVALID_TIMESTAMP'],
  [
    'a taken name before the 28 days',
    { latest: row({ from: 0, to: BOB, at: NOW - 1 }) },
    register,
    'USERNAME_TAKEN',
  ],
  [
    'a name without an owner before the 28 days',
    { latest: row({ from: ALICE, to: 0, at: NOW - 1 }) },
    release,
    'USERNAME_NOT_FOUND',
  ],
]

describe('of several faults the first is told', () => {
  for (const [what, history, asked, expected] of PRECEDENCE) {
    test(what, () => assert.equal(outcome(history, asked), expected))
  }
})
