import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { pad } from 'viem/utils'
import type { AccountCalls, Accounts } from '../src/kernel/accounts/port.ts'
import {
  addressOf,
  signAdd,
  signChangeRecovery,
  signedKeyRequestMetadata,
  signRecover,
  signRegister,
  signRemove,
  signTransfer,
  signTransferAndChangeRecovery,
} from '../src/kernel/accounts/signatures/sign.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { onChainEventJson } from '../src/kernel/protocol/json/json.ts'
import {
  alice,
  bob,
  carol,
  dave,
  enroll,
  keyOf,
  LATER,
  NOBODY,
  NOW,
  newKey,
  person,
  refusal,
} from './accounts-support.ts'

const [A, B, C, D] = [alice, bob, carol, dave].map(addressOf) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const EARLIER = BigInt(NOW - 1)
const WRONG = new Uint8Array(65).fill(1)

type Row = readonly [refused: string, call: () => Promise<unknown>]

type CallsBench = {
  readonly accounts: Accounts & AccountCalls
  advance(seconds: number): Promise<unknown>
  close(): Promise<void>
}

export type Place = {
  /** No accounts yet, at the time NOW; a sign-up gets 20 units, and each call is one block. */
  open(settings?: { maxKeysPerFid: number }): Promise<CallsBench>
  /** Whether refusals always name the field. The contracts do not say which of two signatures is wrong. */
  readonly namesFields: boolean
}

/** The behaviour of the account contracts for each call, as a suite for every implementation. */
export function callsSuite(place: Place): void {
  let it: CallsBench
  beforeEach(async () => {
    it = await place.open()
  })
  afterEach(() => it.close())

  /**
   * For each row of a table: a call with all faults from there on, which must be refused for the first of them.
   */
  const check = async (table: readonly Row[]): Promise<void> => {
    for (const [i, [expected, call]] of table.entries()) {
      const [code, field] = (await refusal(call())).split(' ')
      const [expectedCode, expectedField] = expected.split(' ')
      assert.equal(code, expectedCode, `row ${i}`)
      if (place.namesFields || field) assert.equal(field, expectedField, `row ${i}`)
    }
  }

  const refuse = (expected: string, call: Promise<unknown>) => check([[expected, () => call]])

  /** Custody and recovery address. */
  const held = async (fid: number) => {
    const account = await it.accounts.custodyOf(fid)
    assert.equal(account?.fid, fid)
    return [account.address, account.recovery].map(toHex)
  }

  test('registerFor assigns the next fid and its storage units, with the events of the contracts', async () => {
    const [first, second] = [
      await signRegister(alice, { deadline: LATER, recovery: D }),
      await signRegister(bob, { deadline: LATER }),
    ]
    const result = await it.accounts.registerFor(first)
    assert.equal(result.fid, 1)
    assert.equal(result.confirmsAt, NOW * 1000)
    assert.equal((await it.accounts.registerFor({ ...second })).fid, 2)
    const place = {
      chainId: 10,
      blockNumber: result.blockNumber,
      blockHash: toHex(result.events[0]!.blockHash),
      blockTimestamp: NOW,
      transactionHash: toHex(result.transactionHash),
      fid: 1,
      txIndex: 0,
      version: 0,
    }
    assert.deepEqual(result.events.map(onChainEventJson), [
      {
        ...place,
        type: 'EVENT_TYPE_ID_REGISTER',
        logIndex: 0,
        idRegisterEventBody: {
          to: toHex(A),
          eventType: 'ID_REGISTER_EVENT_TYPE_REGISTER',
          from: '',
          recoveryAddress: toHex(D),
        },
      },
      {
        ...place,
        type: 'EVENT_TYPE_STORAGE_RENT',
        logIndex: 1,
        storageRentEventBody: {
          payer: '0x00000000fc25870c6ed6b6c7e41fb078b7656f69',
          units: 20,
          expiry: NOW + 31_536_000,
        },
      },
    ])
    assert.equal(result.transactionHash.length, 32)
    assert.deepEqual(await held(1), [A, D].map(toHex))
    assert.deepEqual(await held(2), [B, NOBODY].map(toHex))
    assert.equal(await it.accounts.fidOf(A), 1)
    assert.equal(await it.accounts.fidOf(C), undefined)
    assert.deepEqual(await it.accounts.storageUnits(1), { legacy: 0, u2024: 0, u2025: 20 })
  })

  test('a registration with several faults is refused for the first one', async () => {
    await enroll(it.accounts, alice)
    const sign = (deadline: bigint, nonce: number) =>
      signRegister(alice, { deadline, nonce, extraStorage: 5000 })
    const [late, good] = [await sign(EARLIER, 1), await sign(LATER, 1)]
    const used = await sign(LATER, 0)
    await check([
      ['SignatureExpired deadline', () => it.accounts.registerFor({ ...late, signature: WRONG })],
      ['InvalidSignature signature', () => it.accounts.registerFor({ ...good, signature: WRONG })],
      ['InvalidSignature signature', () => it.accounts.registerFor({ ...good, recovery: C })],
      ['InvalidSignature signature', () => it.accounts.registerFor(used)],
      ['HasId to', () => it.accounts.registerFor(good)],
    ])
  })

  test('a deadline includes its own second', async () => {
    for (const [i, late] of [-1, 0, 1].entries()) {
      const call = await signRegister(person(i), { deadline: BigInt(NOW - late) })
      if (late > 0) await refuse('SignatureExpired deadline', it.accounts.registerFor(call))
      else assert.equal((await it.accounts.registerFor(call)).fid, i + 1)
    }
  })

  test('an accepted call uses its nonce, and a refused call does not', async () => {
    await enroll(it.accounts, alice, bob)
    assert.equal(await it.accounts.nonce('idGateway', A), 1)
    assert.equal(await it.accounts.nonce('keyGateway', A), 0)
    // The signature is valid and its nonce is used; then a later step is refused, and the nonce is free again.
    const again = await signRegister(alice, { deadline: LATER, nonce: 1 })
    await refuse('HasId to', it.accounts.registerFor(again))
    assert.equal(await it.accounts.nonce('idGateway', A), 1)
    const move = await signTransfer(alice, carol, { fid: 1, deadline: LATER })
    await it.accounts.transferFor(move)
    assert.deepEqual(
      [await it.accounts.nonce('idRegistry', A), await it.accounts.nonce('idRegistry', C)],
      [1, 1],
    )
    // An address that transferred its fid may register again, but not with the old signature.
    assert.equal((await it.accounts.registerFor(again)).fid, 3)
    await refuse('HasId to', it.accounts.transferFor(move))
  })

  test('two registrations at the same time get different fids', async () => {
    const calls = await Promise.all(
      Array.from({ length: 8 }, (_, i) => signRegister(person(i), { deadline: LATER })),
    )
    const results = await Promise.all(calls.map((call) => it.accounts.registerFor(call)))
    assert.deepEqual(results.map(({ fid }) => fid).sort(), [1, 2, 3, 4, 5, 6, 7, 8])
    const same = await signRegister(person(9), { deadline: LATER })
    const twice = await Promise.allSettled(
      [same, same].map((call) => it.accounts.registerFor(call)),
    )
    assert.deepEqual(twice.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })

  test('transferFor moves a fid with its keys and its recovery address', async () => {
    await enroll(it.accounts, alice)
    await it.accounts.addFor(await newKey(alice, keyOf(7), { requestFid: 1 }))
    const { events } = await it.accounts.transferFor(
      await signTransfer(alice, bob, { fid: 1, deadline: LATER }),
    )
    assert.deepEqual(onChainEventJson(events[0]!).idRegisterEventBody, {
      to: toHex(B),
      eventType: 'ID_REGISTER_EVENT_TYPE_TRANSFER',
      from: toHex(A),
      recoveryAddress: '',
    })
    assert.deepEqual(await held(1), [B, D].map(toHex))
    assert.equal(await it.accounts.fidOf(A), undefined)
    assert.equal(await it.accounts.fidOf(B), 1)
    assert.equal(await it.accounts.isActiveKey(1, keyOf(7)), true)
  })

  test('a transfer with several faults is refused for the first one', async () => {
    await enroll(it.accounts, alice, bob)
    const good = await signTransfer(alice, carol, { fid: 1, deadline: LATER })
    const { transferFor } = it.accounts
    const bad = {
      fromDeadline: EARLIER,
      fromSignature: WRONG,
      toDeadline: EARLIER,
      toSignature: WRONG,
    }
    await check([
      ['HasNoId from', () => transferFor({ ...bad, from: C, to: B })],
      ['HasId to', () => transferFor({ ...bad, from: A, to: B })],
      ['HasId to', () => transferFor({ ...bad, from: A, to: A })],
      ['SignatureExpired fromDeadline', () => transferFor({ ...bad, from: A, to: C })],
      [
        'InvalidSignature fromSignature',
        () => transferFor({ ...good, ...bad, fromDeadline: LATER }),
      ],
      [
        'SignatureExpired toDeadline',
        () => transferFor({ ...good, toDeadline: EARLIER, toSignature: WRONG }),
      ],
      ['InvalidSignature toSignature', () => transferFor({ ...good, toSignature: WRONG })],
      ['InvalidSignature fromSignature', () => transferFor({ ...good, to: D })],
    ])
    assert.equal(await it.accounts.nonce('idRegistry', A), 0)
  })

  test('transferAndChangeRecoveryFor does both in one call', async () => {
    await enroll(it.accounts, alice)
    const terms = { fid: 1, recovery: C, deadline: LATER }
    const call = await signTransferAndChangeRecovery(alice, bob, terms)
    const { transferAndChangeRecoveryFor } = it.accounts
    await check([
      ['HasNoId from', () => transferAndChangeRecoveryFor({ ...call, from: C })],
      [
        'InvalidSignature fromSignature',
        () => transferAndChangeRecoveryFor({ ...call, recovery: D }),
      ],
    ])
    const { events } = await transferAndChangeRecoveryFor(call)
    assert.deepEqual(
      events.map((event) => onChainEventJson(event).idRegisterEventBody),
      [
        {
          to: toHex(B),
          eventType: 'ID_REGISTER_EVENT_TYPE_TRANSFER',
          from: toHex(A),
          recoveryAddress: '',
        },
        {
          to: '',
          eventType: 'ID_REGISTER_EVENT_TYPE_CHANGE_RECOVERY',
          from: '',
          recoveryAddress: toHex(C),
        },
      ],
    )
    assert.deepEqual(await held(1), [B, C].map(toHex))
  })

  test('the recovery address is changed by a signature that names the present one', async () => {
    await enroll(it.accounts, alice)
    const good = await signChangeRecovery(alice, { fid: 1, from: D, to: C, deadline: LATER })
    const stale = await signChangeRecovery(alice, { fid: 1, from: B, to: C, deadline: LATER })
    const { changeRecoveryAddressFor } = it.accounts
    await check([
      ['HasNoId owner', () => changeRecoveryAddressFor({ ...good, owner: B, deadline: EARLIER })],
      ['SignatureExpired deadline', () => changeRecoveryAddressFor({ ...good, deadline: EARLIER })],
      ['InvalidSignature signature', () => changeRecoveryAddressFor(stale)],
    ])
    await changeRecoveryAddressFor(good)
    assert.deepEqual(await held(1), [A, C].map(toHex))
  })

  test('recoverFor moves a fid away from its holder', async () => {
    await enroll(it.accounts, alice, bob)
    const terms = { fid: 1, from: A, deadline: LATER }
    const good = await signRecover(dave, carol, terms)
    const byHolder = await signRecover(alice, carol, terms)
    const { recoverFor } = it.accounts
    await check([
      ['HasNoId from', () => recoverFor({ ...good, from: C, to: B })],
      ['HasId to', () => recoverFor({ ...good, to: B })],
      [
        'SignatureExpired recoveryDeadline',
        () => recoverFor({ ...good, recoveryDeadline: EARLIER, recoverySignature: WRONG }),
      ],
      ['InvalidSignature recoverySignature', () => recoverFor(byHolder)],
      ['SignatureExpired toDeadline', () => recoverFor({ ...good, toDeadline: EARLIER })],
      ['InvalidSignature toSignature', () => recoverFor({ ...good, toSignature: WRONG })],
    ])
    await recoverFor(good)
    assert.deepEqual([await it.accounts.fidOf(A), await it.accounts.fidOf(C)], [undefined, 1])
    assert.deepEqual(await held(1), [C, D].map(toHex))
  })

  test('a recovery to the recovery address itself uses two nonces of one signer', async () => {
    await enroll(it.accounts, alice)
    const call = await signRecover(dave, dave, { fid: 1, from: A, toNonce: 1, deadline: LATER })
    await it.accounts.recoverFor(call)
    assert.equal(await it.accounts.fidOf(D), 1)
    assert.equal(await it.accounts.nonce('idRegistry', D), 2)
  })

  test('a fid without recovery address cannot be recovered', async () => {
    await it.accounts.registerFor(await signRegister(alice, { deadline: LATER }))
    const call = await signRecover(dave, carol, { fid: 1, from: A, deadline: LATER })
    await refuse('InvalidSignature recoverySignature', it.accounts.recoverFor(call))
  })

  test('the same key may be added to several fids', async () => {
    await enroll(it.accounts, alice, bob)
    const { events } = await it.accounts.addFor(
      await newKey(alice, keyOf(1), { app: bob, requestFid: 2 }),
    )
    const body = events[0]!.body
    assert.ok(body.case === 'signerEventBody')
    assert.deepEqual(
      [
        body.value.eventType,
        body.value.keyType,
        body.value.metadataType,
        body.value.metadata.length,
      ],
      [1, 1, 1, 288],
    )
    assert.equal(await it.accounts.isActiveKey(1, keyOf(1)), true)
    assert.equal(await it.accounts.isActiveKey(2, keyOf(1)), false)
    await it.accounts.addFor(await newKey(bob, keyOf(1), { requestFid: 2 }))
    assert.equal(await it.accounts.isActiveKey(2, keyOf(1)), true)
    await it.accounts.removeFor(await signRemove(alice, { key: keyOf(1), deadline: LATER }))
    assert.equal(await it.accounts.isActiveKey(1, keyOf(1)), false)
    assert.equal(await it.accounts.isActiveKey(2, keyOf(1)), true)
    const { items } = await it.accounts.activeKeys(1, { size: 10 })
    assert.deepEqual(items, [])
  })

  test('a key that was removed from a fid cannot be added to it again', async () => {
    await enroll(it.accounts, alice)
    const add = (nonce: number) => newKey(alice, keyOf(1), { requestFid: 1, nonce })
    const remove = (nonce: number) => signRemove(alice, { key: keyOf(1), deadline: LATER, nonce })
    await refuse('InvalidState key', it.accounts.removeFor(await remove(0)))
    await it.accounts.addFor(await add(0))
    await refuse('InvalidSignature signature', it.accounts.addFor(await add(0)))
    await refuse('InvalidState key', it.accounts.addFor(await add(1)))
    const { events } = await it.accounts.removeFor(await remove(0))
    assert.deepEqual(onChainEventJson(events[0]!).signerEventBody, {
      key: toHex(keyOf(1)),
      keyType: 0,
      eventType: 'SIGNER_EVENT_TYPE_REMOVE',
      metadata: '',
      metadataType: 0,
    })
    await refuse('InvalidState key', it.accounts.removeFor(await remove(1)))
    await refuse('InvalidState key', it.accounts.addFor(await add(1)))
  })

  test('a key addition with several faults is refused for the first one', async () => {
    await it.close()
    it = await place.open({ maxKeysPerFid: 1 })
    await enroll(it.accounts, alice)
    await it.accounts.addFor(await newKey(alice, keyOf(1), { requestFid: 1 }))
    const sign = (owner: typeof alice, key: Uint8Array, keyType: number) =>
      signAdd(owner, {
        key,
        keyType,
        metadata: WRONG,
        deadline: LATER,
        nonce: owner === alice ? 1 : 0,
      })
    const { addFor } = it.accounts
    const held = await sign(alice, keyOf(1), 3)
    const stranger = await sign(bob, keyOf(1), 3)
    const second = await sign(alice, keyOf(2), 3)
    await check([
      ['SignatureExpired deadline', () => addFor({ ...stranger, deadline: EARLIER })],
      ['InvalidSignature signature', () => addFor({ ...stranger, signature: WRONG })],
      ['Unauthorized owner', () => addFor(stranger)],
      ['InvalidState key', () => addFor(held)],
      ['ExceedsMaximum key', () => addFor(second)],
    ])
    await it.accounts.removeFor(await signRemove(alice, { key: keyOf(1), deadline: LATER }))
    const ofNoType = await signAdd(alice, {
      key: keyOf(2),
      metadataType: 2,
      metadata: WRONG,
      deadline: LATER,
      nonce: 1,
    })
    const unreadable = await sign(alice, keyOf(2), 1)
    await check([
      ['ValidatorNotFound keyType', () => addFor(second)],
      ['ValidatorNotFound keyType', () => addFor(ofNoType)],
      ['InvalidMetadata metadata', () => addFor(unreadable)],
    ])
  })

  test('an auth address is added and removed like a key, counts as one, and is no active key', async () => {
    await it.close()
    it = await place.open({ maxKeysPerFid: 2 })
    await enroll(it.accounts, alice)
    const add = async (key: Uint8Array, keyType: number, nonce: number) => {
      const request = { requestFid: 1, key, deadline: LATER }
      const metadata = await signedKeyRequestMetadata(alice, request)
      return signAdd(alice, { key, keyType, metadata, nonce, deadline: LATER })
    }
    const address = (byte: number) => Buffer.from(pad(`0x${`${byte}`.repeat(40)}`).slice(2), 'hex')
    const { events } = await it.accounts.addFor(await add(address(1), 2, 0))
    const { signerEventBody } = onChainEventJson(events[0]!)
    const { key, keyType } = signerEventBody as { key: string; keyType: number }
    assert.deepEqual([key, keyType], [`0x${'0'.repeat(24)}${'1'.repeat(40)}`, 2])
    assert.equal(await it.accounts.isActiveKey(1, address(1)), false)
    assert.deepEqual((await it.accounts.activeKeys(1, { size: 10 })).items, [])
    await refuse('InvalidState key', it.accounts.addFor(await add(address(1), 2, 1)))
    await it.accounts.addFor(await add(keyOf(1), 1, 1))
    await refuse('ExceedsMaximum key', it.accounts.addFor(await add(address(2), 2, 2)))
    await it.accounts.removeFor(await signRemove(alice, { key: address(1), deadline: LATER }))
    await refuse('InvalidState key', it.accounts.addFor(await add(address(1), 2, 2)))
    await it.accounts.addFor(await add(address(2), 2, 2))
  })

  test('a signed key request must come from an app that has a fid, be in time and name this key', async () => {
    await enroll(it.accounts, alice, bob)
    const key = keyOf(1)
    const request = (change: object = {}, app = bob) =>
      signedKeyRequestMetadata(app, { requestFid: 2, key, deadline: LATER, ...change })
    const add = async (metadata: Uint8Array, of = key) =>
      it.accounts.addFor(await signAdd(alice, { key: of, metadata, deadline: LATER }))
    const refused = 'InvalidMetadata metadata'
    const short = keyOf(1).subarray(1)
    await check([
      [refused, async () => add(await request({ requestFid: 1 }))],
      [refused, async () => add(await request({ requestFid: 3 }))],
      [refused, async () => add(await request({ requestFid: 0 }, carol))],
      [refused, async () => add(await request({}, alice))],
      [refused, async () => add(await request({ deadline: EARLIER }))],
      [refused, async () => add(await request({ key: short }), short)],
      [refused, async () => add(await request({ key: keyOf(2) }))],
      [refused, async () => add((await request()).subarray(0, 200))],
    ])
    const moved = await request()
    await it.accounts.transferFor(await signTransfer(bob, carol, { fid: 2, deadline: LATER }))
    await refuse(refused, add(moved))
    await add(await request({ deadline: BigInt(NOW) }, carol))
    // Only the moment of the add counts.
    await it.accounts.transferFor(
      await signTransfer(carol, dave, { fid: 2, fromNonce: 1, deadline: LATER }),
    )
    await it.advance(10_000)
    assert.equal(await it.accounts.isActiveKey(1, key), true)
  })

  test('a key removal with several faults is refused for the first one', async () => {
    await enroll(it.accounts, alice)
    const good = await signRemove(bob, { key: keyOf(1), deadline: LATER })
    await check([
      ['SignatureExpired deadline', () => it.accounts.removeFor({ ...good, deadline: EARLIER })],
      ['InvalidSignature signature', () => it.accounts.removeFor({ ...good, key: keyOf(2) })],
      ['Unauthorized owner', () => it.accounts.removeFor(good)],
    ])
    const add = await newKey(alice, keyOf(1), { requestFid: 1 })
    await it.accounts.addFor(add)
    const late = await signRemove(alice, { key: keyOf(1), deadline: BigInt(NOW) })
    await it.advance(1)
    await refuse('SignatureExpired deadline', it.accounts.removeFor(late))
  })

  test('a sign-up with keys happens in one block or not at all', async () => {
    await enroll(it.accounts, bob)
    const keys = await Promise.all(
      [0, 1].map((nonce) => newKey(alice, keyOf(nonce + 1), { app: bob, requestFid: 1, nonce })),
    )
    const registerCall = await signRegister(alice, { deadline: LATER, recovery: D })
    const [first, second] = keys as [(typeof keys)[0], (typeof keys)[0]]
    const { register } = it.accounts
    await check([
      [
        'InvalidSignature keys.0.signature',
        () => register({ ...registerCall, keys: [second, first] }),
      ],
      ['InvalidBatchInput keys', () => register({ ...registerCall, keys: Array(17).fill(first) })],
      ['InvalidSignature signature', () => register({ ...registerCall, to: C, keys })],
    ])
    assert.equal(await it.accounts.fidOf(A), undefined)
    assert.equal(await it.accounts.nonce('idGateway', A), 0)
    const result = await register({ ...registerCall, keys })
    assert.equal(result.fid, 2)
    assert.deepEqual(
      result.events.map((event) => [event.type, event.logIndex]),
      [
        [3, 0],
        [4, 1],
        [1, 2],
        [1, 3],
      ],
    )
    assert.equal(await it.accounts.nonce('keyGateway', A), 2)
    assert.equal((await it.accounts.activeKeys(2, { size: 10 })).items.length, 2)
  })

  test('a user may be the requesting app of its own first key', async () => {
    const key = await newKey(alice, keyOf(1), { requestFid: 1 })
    const call = await signRegister(alice, { deadline: LATER })
    const { fid } = await it.accounts.register({ ...call, keys: [key] })
    assert.equal(await it.accounts.isActiveKey(fid, keyOf(1)), true)
  })

  test('storage can be rented for any fid', async () => {
    await refuse('InvalidAmount units', it.accounts.rent({ fid: 5, units: 0 }))
    const { events } = await it.accounts.rent({ fid: 5, units: 1000 })
    assert.equal(events[0]!.body.case, 'storageRentEventBody')
    assert.equal((await it.accounts.storageUnits(5)).u2025, 1000)
    await it.advance(3 * 365 * 86_400)
    await it.accounts.rent({ fid: 5, units: 7 })
    assert.equal((await it.accounts.storageUnits(5)).u2025, 7, 'the others have run out')
  })
}
