// The name registry over HTTP: what it answers, what it refuses, and with which error.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeUserNameProofClaim, ViemLocalEip712Signer } from '@farcaster/core'
import { mnemonicToAccount } from 'viem/accounts'
import { TEST_PHRASE } from '../src/dev/accounts.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { onEngines } from './hub-support.ts'
import {
  accepted,
  custodyOf,
  type Person,
  type RegistryClient,
  refused,
  registryClient,
  type Transfer,
} from './registry-support.ts'
import { createWorld, type World } from './world.ts'

/** Of every test world: the first account of the test phrase acts for the registry. */
const ADMIN_FID = 14045
const ADMIN = { account: mnemonicToAccount(TEST_PHRASE) }
const STRANGER = { account: mnemonicToAccount(TEST_PHRASE, { addressIndex: 9 }) }

const asAdmin = (to: Person | undefined) => ({
  fid: ADMIN_FID,
  ...(to && { owner: to.account.address }),
})

onEngines('the registry', (world) => {
  let registry: RegistryClient
  before(() => {
    registry = registryClient(world())
  })
  const listed = async (query: string): Promise<Transfer[]> => {
    const { status, body } = await registry.get(`/transfers${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(Object.keys(body), ['transfers'])
    return body.transfers
  }

  test('a registration is in every list, with its eight properties in order', async () => {
    const alice = await registry.person(1)
    const transfer = accepted(await registry.register(alice, 'alice'))
    const { user_signature, server_signature, ...rest } = transfer
    const owner = alice.account.address.toLowerCase()
    const timestamp = registry.now()
    assert.deepEqual(rest, { id: transfer.id, timestamp, username: 'alice', owner, from: 0, to: 1 })
    assert.equal(
      Object.keys(transfer).join(),
      'id,timestamp,username,owner,from,to,user_signature,server_signature',
    )
    for (const text of [user_signature, server_signature]) assert.match(text, /^0x[0-9a-f]{130}$/)
    for (const query of ['?name=alice', '?fname=alice', '?fid=1', `?from_id=${transfer.id - 1}`]) {
      assert.deepEqual(await listed(query), [transfer], query)
    }
    for (const query of ['?name=alice', '?fid=1', '?fname=alice', '?fid=1&name=nobody']) {
      const { status, body } = await registry.get(`/transfers/current${query}`)
      assert.deepEqual([status, body], [200, { transfers: [transfer], transfer }], query)
    }
  })

  test('a holder transfers a name to another fid, which may release it at once', async () => {
    const [from, to, third] = (await registry.people([2, 3, 4])) as [Person, Person, Person]
    accepted(await registry.register(from, 'gift'))
    world().clock.advance(1_000)
    refused(await registry.move(from, 'gift', 3), 'THROTTLED', 'name')
    world().clock.advance(28 * DAY_MS)
    refused(await registry.move(to, 'gift', 4, { from: 2, fid: 3 }), 'UNAUTHORIZED', 'fid')
    const moved = accepted(await registry.move(from, 'gift', 3))
    assert.deepEqual(accepted(await registry.move(from, 'gift', 3)), moved)
    world().clock.advance(1_000)
    refused(await registry.move(from, 'gift', 4), 'USERNAME_TAKEN', 'name')
    refused(await registry.move(to, 'gift', 4), 'THROTTLED', 'name')
    refused(await registry.register(to, 'own'), 'TOO_MANY_NAMES', 'to')
    const released = accepted(await registry.release(to, 'gift'))
    assert.deepEqual([released.from, released.to], [3, 0])
    accepted(await registry.register(to, 'own'))
    world().clock.advance(1_000)
    refused(await registry.register(third, 'gift'), 'THROTTLED', 'name')
    assert.equal((await registry.get('/transfers/current?name=gift')).status, 404)
    world().clock.advance(28 * DAY_MS)
    accepted(await registry.register(third, 'gift'))
    assert.deepEqual(
      (await listed('?name=gift')).map((one) => `${one.from}>${one.to}`),
      ['0>2', '2>3', '3>0', '0>4'],
    )
  })

  test('a repeated request is answered with the stored transfer at any time', async () => {
    const bob = await registry.person(5)
    const body = await registry.sign(bob, { name: 'bob', from: 0, to: 5 })
    const transfer = accepted(await registry.post(body))
    assert.deepEqual(accepted(await registry.post(body)), transfer)
    const { fid: _, ...without } = body
    assert.deepEqual(accepted(await registry.post({ ...without, fid: 0 })), transfer)
    world().clock.advance(28 * DAY_MS)
    assert.deepEqual(accepted(await registry.post(body)), transfer)
    const again = await registry.register(bob, 'bob', { timestamp: 1 })
    assert.deepEqual(accepted(again), transfer)
    const release = await registry.sign(bob, { name: 'bob', from: 5, to: 0 })
    const released = accepted(await registry.post(release))
    assert.deepEqual(accepted(await registry.post(release)), released)
    refused(await registry.post(body), 'INVALID_TIMESTAMP', 'timestamp')
    assert.equal((await listed('?name=bob')).length, 2)
  })

  test('a name is held by a fid even after its custody address changed', async () => {
    const carol = await registry.person(6)
    const transfer = accepted(await registry.register(carol, 'carol'))
    const heir = custodyOf(600)
    const { app } = world()
    await app.storage.write('hub', async (tx) => {
      const custody = (await tx.accounts.custody(6))!
      const address = Buffer.from(heir.address.slice(2), 'hex')
      await tx.accounts.putCustodies([{ ...custody, address }])
    })
    const current = (await registry.get('/transfers/current?fid=6')).body.transfer
    assert.equal(current.owner, transfer.owner)
    refused(await registry.register(carol, 'carol'), 'INVALID_FID_OWNER', 'owner')
    const asHeir = await registry.register({ ...carol, account: heir }, 'carol')
    assert.match(refused(asHeir, 'TOO_MANY_NAMES', 'to'), /registered by another address/)
    world().clock.advance(28 * DAY_MS)
    accepted(await registry.release({ ...carol, account: heir }, 'carol'))
  })

  test('administrators can register, release and transfer names, and nothing else', async () => {
    const [one, two, three] = (await registry.people([7, 8, 12])) as [Person, Person, Person]
    const give = (name: string, from: number, to: Person | undefined, at = 0) =>
      registry.change(ADMIN, {
        name,
        from,
        to: to?.fid ?? 0,
        timestamp: registry.now() + at,
        ...asAdmin(to),
      })
    refused(await registry.register(one, 'support'), 'USERNAME_RESERVED', 'name')
    refused(await registry.register(one, 'supp0rt'), 'USERNAME_RESERVED', 'name')
    const given = accepted(await give('support', 0, one))
    assert.equal(given.owner, one.account.address.toLowerCase())
    refused(await give('support', 7, two), 'INVALID_TIMESTAMP', 'timestamp')
    accepted(await give('support', 7, two, 1))
    refused(await give('other', 0, two, 2), 'TOO_MANY_NAMES', 'to')
    refused(await give('support', 7, three, 2), 'USERNAME_TAKEN', 'name')
    accepted(await give('support', 8, undefined, 2))
    refused(await give('support', 8, undefined, 3), 'USERNAME_NOT_FOUND', 'name')
    accepted(await give('support', 99, two, 3))
    refused(await give('Bad', 0, one), 'INVALID_USERNAME', 'name')
    refused(await give('late', 0, one, 601), 'INVALID_TIMESTAMP', 'timestamp')
    const self = { name: 'x', from: 7, to: 7, fid: ADMIN_FID }
    refused(await registry.change(ADMIN, self), 'UNAUTHORIZED', 'to')
    const forged = { name: 'x', from: 0, to: 7, fid: ADMIN_FID }
    refused(await registry.change(one, forged), 'INVALID_SIGNATURE', 'signature')
  })

  test('a published claim cannot be used for another fid', async () => {
    const [holder, thief] = (await registry.people([9, 10])) as [Person, Person]
    const grant = await registry.sign(ADMIN, {
      name: 'granted',
      from: 0,
      to: 9,
      ...asAdmin(holder),
    })
    accepted(await registry.post(grant))
    refused(await registry.post({ ...grant, from: 9, to: 10 }), 'INVALID_TIMESTAMP', 'timestamp')
    refused(await registry.post({ ...grant, from: 9, to: 10, fid: 10 }), 'UNAUTHORIZED', 'fid')
    refused(await registry.post({ ...grant, from: 0, to: 10 }), 'USERNAME_TAKEN', 'name')
    refused(await registry.register(thief, 'granted'), 'USERNAME_TAKEN', 'name')
    assert.equal((await listed('?name=granted')).length, 1)
  })

  test('every change of a name is accepted as UserNameProof and as NameTransfer', async () => {
    const [one, two] = (await registry.people([50, 51])) as [Person, Person]
    const { body } = await registry.get('/domains')
    const both = ['UserNameProof', 'NameTransfer']
    assert.deepEqual(body.accepted, { register: both, move: both, release: both })
    for (const struct of ['UserNameProof', 'NameTransfer'] as const) {
      accepted(await registry.register(one, 'wren', { struct }))
      world().clock.advance(28 * DAY_MS)
      const move = { name: 'wren', from: 50, to: 51, struct } as const
      const forged = await registry.sign(two, move)
      const owner = one.account.address
      refused(await registry.post({ ...forged, owner }), 'INVALID_SIGNATURE', 'signature')
      accepted(await registry.change(one, move))
      world().clock.advance(1_000)
      accepted(await registry.release(two, 'wren', { struct }))
      world().clock.advance(28 * DAY_MS)
    }
  })

  test('a transfer signed over the claim of the brief by another library is accepted', async () => {
    const [from] = (await registry.people([52, 53])) as [Person, Person]
    accepted(await registry.register(from, 'tern'))
    world().clock.advance(28 * DAY_MS)
    const owner = from.account.address
    const claim = { name: 'tern', owner, timestamp: registry.now() }
    const signed = await new ViemLocalEip712Signer(from.account).signUserNameProofClaim(
      makeUserNameProofClaim(claim),
    )
    const signature = toHex(signed._unsafeUnwrap())
    const body = { ...claim, from: 52, to: 53, fid: 52, signature }
    refused(await registry.post({ ...body, name: 'turn' }), 'INVALID_SIGNATURE', 'signature')
    refused(await registry.post({ ...body, timestamp: 0 }), 'INVALID_SIGNATURE', 'signature')
    const moved = accepted(await registry.post(body))
    assert.deepEqual([moved.from, moved.to, moved.user_signature], [52, 53, signature])
    assert.deepEqual(accepted(await registry.post(body)), moved)
  })

  test('a transfer from fid 0 to fid 0 is refused', async () => {
    for (const fids of [
      { from: 0, to: 0 },
      { from: 3, to: 3 },
      { from: 0, to: 0, fid: 0 },
    ]) {
      const answer = await registry.change(STRANGER, { name: 'blocked', ...fids })
      refused(answer, 'UNAUTHORIZED', 'to')
    }
    const nobody = await registry.change(STRANGER, { name: 'blocked', from: 0, to: 9, fid: 0 })
    refused(nobody, 'INVALID_FID_OWNER', 'owner')
    assert.deepEqual(await listed('?name=blocked'), [])
  })

  test('pages of transfers are in the order of ids and filtered as requested', async () => {
    const all = await registry.history()
    assert.ok(all.length > 10)
    const ids = all.map(({ id }) => id)
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    )
    const middle = ids[5]!
    const cases: [string, (one: Transfer) => boolean][] = [
      ['', () => true],
      ['?from_id=0&fid=0&from_ts=0&name=&limit=3', () => true],
      [`?from_id=${middle}`, ({ id }) => id > middle],
      [`?fromId=${middle}`, ({ id }) => id > middle],
      ['?from_id=-7', () => true],
      ['?fid=3', ({ from, to }) => from === 3 || to === 3],
      ['?fid=-3', () => false],
      [
        '?fid=3&name=gift',
        ({ from, to, username }) => username === 'gift' && (from === 3 || to === 3),
      ],
      [`?fid=3&from_id=${middle}`, ({ id, from, to }) => id > middle && (from === 3 || to === 3)],
      ['?name=gift%00%00', ({ username }) => username === 'gift'],
      ['?name=Gift', () => false],
      ['?name=x.eth', () => false],
      [`?from_id=${ids.at(-1)}`, () => false],
      [`?from_id=${Number.MAX_SAFE_INTEGER}`, () => false],
    ]
    for (const [query, isIn] of cases) {
      assert.deepEqual(await listed(query), all.filter(isIn), query)
    }
  })

  test('pages by time never split the transfers of one second', async () => {
    const people = await registry.people(Array.from({ length: 250 }, (_, i) => 1_000 + i))
    world().clock.advance(3_600_000)
    const start = registry.now()
    await Promise.all(people.map((one, i) => registry.register(one, `same${i}`).then(accepted)))
    for (const i of [1, 2, 3]) {
      const one = await registry.person(2_000 + i)
      accepted(await registry.register(one, `later${i}`, { timestamp: start + i }))
    }
    const seen: Transfer[] = []
    for (let after = start - 1; ; ) {
      const page = await listed(`?from_ts=${after}`)
      if (page.length === 0) break
      seen.push(...page)
      after = page.at(-1)!.timestamp
    }
    assert.equal(seen.length, 253)
    assert.equal(new Set(seen.map(({ id }) => id)).size, 253)
    const order = seen.map(({ timestamp, id }) => timestamp * 1e6 + id)
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    )
    const filtered = await listed(`?from_ts=${start}&name=later2`)
    assert.deepEqual(
      filtered.map(({ username }) => username),
      ['later2'],
    )
    assert.equal((await listed('')).length, 100)
  })

  test('the current transfer of a name or fid is found, or a 404 when there is none', async () => {
    // Of equal timestamps the greater id is the newer one; the history is in the order of ids.
    const newest = (await registry.history()).reduce((a, b) => (b.timestamp >= a.timestamp ? b : a))
    const { body } = await registry.get('/transfers/current')
    assert.deepEqual(body, { transfers: [newest], transfer: newest })
    const cases: [string, number, string][] = [
      ['?fid=0', 404, 'Could not resolve current name'],
      ['?fid=7777', 404, 'Could not resolve current name'],
      ['?fid=3000000000', 404, 'Could not resolve current name'],
      ['?fid=-1', 404, 'Could not resolve current name'],
      ['?fid=abc', 400, 'FID is not a number'],
      ['?fid=101abc', 400, 'FID is not a number'],
      ['?fid=1e2', 400, 'FID is not a number'],
      ['?fid=4294967296', 400, 'fid must be at most 4294967295'],
      ['?name=nobody', 404, 'No transfer found'],
      ['?name=ALICE', 404, 'No transfer found'],
      ['?name=a%00', 400, 'name must not contain zeros'],
    ]
    for (const [query, status, error] of cases) {
      const answer = await registry.get(`/transfers/current${query}`)
      assert.deepEqual([answer.status, answer.body.error], [status, error], query)
      assert.deepEqual(answer.body.transfers, status === 404 ? [] : undefined, query)
    }
    const empty = await registry.get('/transfers/current?fid=&name=')
    assert.deepEqual(empty.body, body)
  })

  test('who says what they are called is offered free names', async () => {
    const offered = async (text: string) =>
      (await registry.get(`/proposals?for=${encodeURIComponent(text)}`)).body.names
    assert.deepEqual(await offered('Café Zoë'), ['cafe-zoe', 'cafezoe', 'cafe'])
    accepted(await registry.register(await registry.person(31), 'cafe-zoe'))
    assert.deepEqual(await offered('Café Zoë'), ['cafezoe', 'cafe', 'cafe-zoe2'])
    assert.deepEqual(await offered('cafe-zoe'), ['cafezoe', 'cafe', 'cafe-zoe2'])
    // Reserved names are not offered, and what cannot be written in a to z has no offer.
    assert.deepEqual(await offered('Moderator'), [])
    assert.deepEqual(await offered('李小龙'), [])
    assert.equal((await registry.get('/proposals')).status, 400)
    assert.equal((await registry.get(`/proposals?for=${'x'.repeat(129)}`)).status, 400)
  })

  test('a first name can be changed three times within a day, and then after 28 days', async () => {
    const one = await registry.person(32)
    const start = registry.now()
    accepted(await registry.register(one, 'tpyo'))
    const names = ['tpyo', 'typ0', 'tippo', 'typo'] as const
    for (const [at, name] of names.slice(0, -1).entries()) {
      world().clock.advance(1_000)
      const { body } = await registry.get(`/availability?name=${name}`)
      assert.equal(body.undoUntil, start + 86_400)
      accepted(await registry.release(one, name))
      accepted(await registry.register(one, names[at + 1]!))
      assert.equal((await registry.get(`/availability?name=${name}`)).body.status, 'locked')
    }
    world().clock.advance(1_000)
    assert.equal((await registry.get('/availability?name=typo')).body.undoUntil, undefined)
    refused(await registry.release(one, 'typo'), 'THROTTLED')
    const late = await registry.person(33)
    accepted(await registry.register(late, 'too-late'))
    world().clock.advance(DAY_MS)
    refused(await registry.release(late, 'too-late'), 'THROTTLED')
    world().clock.advance(27 * DAY_MS)
    accepted(await registry.release(late, 'too-late'))
  })

  test('a name or fid without a current transfer is answered with 404 after a release', async () => {
    const one = await registry.person(11)
    accepted(await registry.register(one, 'last'))
    world().clock.advance(29 * DAY_MS)
    accepted(await registry.release(one, 'last'))
    const { status, body } = await registry.get('/transfers/current')
    assert.deepEqual([status, body.error, body.transfers], [404, 'No transfer found', []])
  })
})

describe('an invalid request to the registry', () => {
  let world: World
  let registry: RegistryClient
  let alice: Person
  before(async () => {
    world = await createWorld()
    registry = registryClient(world)
    alice = await registry.person(1)
  })
  after(() => world.close())

  test('an invalid request is refused with a code and a field', async () => {
    const good = await registry.sign(alice, { name: 'alice', from: 0, to: 1 })
    const cases: [Record<string, unknown>, string, string][] = [
      [{ signature: undefined }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: null }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: 7 }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: '' }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: '0x' }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: good.signature.slice(2) }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: good.signature.slice(0, -2) }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: `${good.signature}00` }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: `0x${'00'.repeat(65)}` }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: `0x${'ff'.repeat(65)}` }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: `${good.signature.slice(0, -1)}g` }, 'INVALID_SIGNATURE', 'signature'],
      [{ signature: ['0x12'] }, 'INVALID_SIGNATURE', 'signature'],
      [{ name: 'other' }, 'INVALID_SIGNATURE', 'signature'],
      [{ name: undefined }, 'INVALID_USERNAME', 'name'],
      [{ name: 5 }, 'INVALID_USERNAME', 'name'],
      [{ name: {} }, 'INVALID_USERNAME', 'name'],
      [{ timestamp: undefined }, 'INVALID_TIMESTAMP', 'timestamp'],
      [{ timestamp: 1.5 }, 'INVALID_TIMESTAMP', 'timestamp'],
      [{ timestamp: -1 }, 'INVALID_TIMESTAMP', 'timestamp'],
      [{ timestamp: 2 ** 53 }, 'INVALID_TIMESTAMP', 'timestamp'],
      [{ timestamp: 'now' }, 'INVALID_TIMESTAMP', 'timestamp'],
      [{ timestamp: '' }, 'INVALID_TIMESTAMP', 'timestamp'],
      [{ timestamp: `${good.timestamp} ` }, 'INVALID_TIMESTAMP', 'timestamp'],
      [{ timestamp: world.clock.now() }, 'INVALID_SIGNATURE', 'signature'],
      [{ owner: undefined }, 'INVALID_FID_OWNER', 'owner'],
      [{ owner: 1 }, 'INVALID_FID_OWNER', 'owner'],
      [{ owner: 'alice' }, 'INVALID_FID_OWNER', 'owner'],
      [{ owner: good.owner.slice(2) }, 'INVALID_FID_OWNER', 'owner'],
      [{ owner: good.owner.slice(0, -2) }, 'INVALID_FID_OWNER', 'owner'],
      [{ owner: good.owner.toUpperCase().replace('X', 'x') }, 'INVALID_FID_OWNER', 'owner'],
      [{ owner: STRANGER.account.address }, 'INVALID_FID_OWNER', 'owner'],
      [{ from: '0' }, 'UNAUTHORIZED', 'from'],
      [{ to: '1' }, 'UNAUTHORIZED', 'to'],
      [{ to: 1.5 }, 'UNAUTHORIZED', 'to'],
      [{ to: -1 }, 'UNAUTHORIZED', 'to'],
      [{ to: 2 ** 32 }, 'UNAUTHORIZED', 'to'],
      [{ to: [1] }, 'UNAUTHORIZED', 'to'],
      [{ fid: '1' }, 'UNAUTHORIZED', 'fid'],
      [{ fid: true }, 'UNAUTHORIZED', 'fid'],
      [{ fid: 2 }, 'UNAUTHORIZED', 'fid'],
      [{ from: 1, to: 2, fid: 2 }, 'UNAUTHORIZED', 'fid'],
      [{ from: undefined }, 'UNAUTHORIZED', 'from'],
      [{ to: undefined }, 'UNAUTHORIZED', 'to'],
      [{ from: undefined, fid: undefined }, 'INVALID_FID_OWNER', 'from'],
      [{ to: null, fid: null }, 'INVALID_FID_OWNER', 'to'],
      [{ to: 2, fid: undefined }, 'INVALID_FID_OWNER', 'owner'],
    ]
    for (const [change, code, field] of cases) {
      refused(await registry.post({ ...good, ...change }), code, field)
    }
    const { to: _, ...without } = good
    assert.match(JSON.stringify((await registry.post(without)).body), /to is missing/)
    refused(await registry.post({}), 'INVALID_FID_OWNER')
    refused(await registry.post([]), 'INVALID_FID_OWNER')
    assert.deepEqual(await registry.history(), [])
  })

  test('a request with an invalid name is refused', async () => {
    const none = [
      '',
      'Alice',
      'a b',
      'a.eth',
      'a_b',
      '-a',
      'ä',
      'a'.repeat(17),
      'alice\n',
      'a\0',
      '🐦',
    ]
    for (const name of none)
      refused(await registry.register(alice, name), 'INVALID_USERNAME', 'name')
    assert.deepEqual(await registry.history(), [])
  })

  test('a request is accepted in every form that wallets and clients send', async () => {
    const names = ['a', '0', '007', 'a-', 'a--b', 'a'.repeat(16)]
    const people = await registry.people(names.map((_, i) => 10 + i))
    for (const [i, name] of names.entries()) accepted(await registry.register(people[i]!, name))
    const [v, digits, upper, checksum] = (await registry.people([20, 21, 22, 23])) as [
      Person,
      Person,
      Person,
      Person,
    ]
    const sign = (one: Person, name: string) => registry.sign(one, { name, from: 0, to: one.fid })
    const low = await sign(v, 'lowv')
    const bit = low.signature.endsWith('1b') ? '00' : '01'
    accepted(
      await registry.post({
        ...low,
        signature: `${low.signature.slice(0, -2)}${bit}` as `0x${string}`,
      }),
    )
    const texts = await sign(digits, 'digits')
    assert.equal(
      accepted(await registry.post({ ...texts, timestamp: String(texts.timestamp) })).timestamp,
      texts.timestamp,
    )
    const loud = await sign(upper, 'loud')
    const signature = `0x${loud.signature.slice(2).toUpperCase()}`
    assert.equal(
      accepted(await registry.post({ ...loud, signature })).user_signature,
      loud.signature,
    )
    const mixed = await sign(checksum, 'mixed')
    const { owner } = accepted(await registry.post({ ...mixed, owner: checksum.account.address }))
    assert.equal(owner, mixed.owner)
  })

  test('every invalid request is answered in JSON without internal details', async () => {
    const json = { 'content-type': 'application/json' }
    const cases: [string, RequestInit, number][] = [
      ['/transfers', { method: 'POST', headers: json, body: '{' }, 400],
      ['/transfers', { method: 'POST', headers: json, body: 'null' }, 400],
      ['/transfers', { method: 'POST', headers: json, body: '3' }, 400],
      ['/transfers', { method: 'POST', headers: json, body: '' }, 400],
      ['/transfers', { method: 'POST', headers: json, body: '{"__proto__":{}}' }, 400],
      ['/transfers', { method: 'POST', headers: json, body: `"${'x'.repeat(200_000)}"` }, 413],
      [
        '/transfers',
        { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
        415,
      ],
      ['/transfers', { method: 'PUT', headers: json, body: '{}' }, 405],
      ['/transfers/1', {}, 404],
      ['/nothing', {}, 404],
      ['/transfers?from_id=x', {}, 400],
      ['/transfers?from_id=5.9', {}, 400],
      ['/transfers?from_id=9007199254740992', {}, 400],
      ["/transfers?fid=1'--", {}, 400],
      ['/transfers?fid=4294967296', {}, 400],
      ['/transfers?from_ts=1767225600000', {}, 400],
      [`/transfers?name=${'n'.repeat(300)}`, {}, 400],
      ['/transfers?name=%ff', {}, 400],
      ['/ccip/0x12/0x.json', {}, 400],
      ['/ccip', { method: 'POST', headers: json, body: '{"sender":1,"data":2}' }, 400],
    ]
    for (const [path, init, status] of cases) {
      const answer = await registry.send(path, init)
      assert.equal(answer.status, status, path)
      assert.match(answer.headers.get('content-type')!, /^application\/json/)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      const { error, code, message, requestId } = answer.body
      for (const text of [error, code, message, requestId]) assert.equal(typeof text, 'string')
      assert.doesNotMatch(JSON.stringify(answer.body), /node_modules|\.ts:|at \w+ \(|SQL|select /)
    }
    const field = (await registry.get('/transfers?from_id=x')).body.field
    assert.equal(field, 'from_id')
  })

  test('of several faults of a request the first is reported', async () => {
    const [full, cold, hot] = (await registry.people([31, 32, 33])) as [Person, Person, Person]
    const admin = (name: string, from: number, to: Person | undefined, at = 0) =>
      registry.change(ADMIN, {
        name,
        from,
        to: to?.fid ?? 0,
        timestamp: registry.now() + at,
        ...asAdmin(to),
      })
    accepted(await registry.register(full, 'full'))
    accepted(await registry.register(cold, 'cold'))
    const reservedHolder = await registry.person(34)
    accepted(await admin('support', 0, reservedHolder))
    world.clock.advance(40 * DAY_MS)
    accepted(await registry.register(hot, 'hot'))
    const [b, s] = (await registry.people([35, 36])) as [Person, Person]
    accepted(await registry.register(b, 'burnt'))
    accepted(await admin('burnt', 35, undefined, 1))
    accepted(await admin('staff', 0, s))
    accepted(await admin('staff', 36, undefined, 1))
    world.clock.advance(60_000)

    const ORDER = [
      'UNAUTHORIZED',
      'INVALID_FID_OWNER',
      'USERNAME_RESERVED',
      'INVALID_SIGNATURE',
      'INVALID_USERNAME',
      'TOO_MANY_NAMES',
      'INVALID_TIMESTAMP',
      'USERNAME_TAKEN',
      'USERNAME_NOT_FOUND',
      'THROTTLED',
    ] as const
    type Fault = (typeof ORDER)[number]
    const free = await registry.person(40)
    const requestWith = async (...faults: Fault[]) => {
      const has = (fault: Fault) => faults.includes(fault)
      const name = has('INVALID_USERNAME')
        ? 'Not A Name'
        : has('USERNAME_RESERVED')
          ? has('USERNAME_TAKEN')
            ? 'support'
            : has('THROTTLED')
              ? 'staff'
              : 'admin'
          : has('USERNAME_TAKEN')
            ? has('THROTTLED')
              ? 'hot'
              : 'cold'
            : has('THROTTLED')
              ? 'burnt'
              : 'free'
      const who = has('TOO_MANY_NAMES') && !has('USERNAME_NOT_FOUND') ? full : free
      const from = has('USERNAME_NOT_FOUND') ? who.fid : 0
      const to = !has('USERNAME_NOT_FOUND') ? who.fid : has('TOO_MANY_NAMES') ? full.fid : 0
      const body = await registry.sign(has('INVALID_FID_OWNER') ? STRANGER : who, {
        name,
        from,
        to,
        timestamp: registry.now() - (has('INVALID_TIMESTAMP') ? 601 : 0),
        fid: has('UNAUTHORIZED') ? 99 : who.fid,
      })
      if (!has('INVALID_SIGNATURE')) return body
      const other = await registry.sign(STRANGER, { name, from, to })
      return { ...body, signature: other.signature }
    }
    const cannotBeBoth = (a: Fault, c: Fault) =>
      (a === 'INVALID_USERNAME' && (c === 'USERNAME_TAKEN' || c === 'THROTTLED')) ||
      (a === 'USERNAME_RESERVED' && c === 'INVALID_USERNAME') ||
      (a === 'USERNAME_TAKEN' && c === 'USERNAME_NOT_FOUND')
    let pairs = 0
    for (const [i, first] of ORDER.entries()) {
      refused(await registry.post(await requestWith(first)), first)
      for (const second of ORDER.slice(i + 1)) {
        if (cannotBeBoth(first, second)) continue
        pairs++
        const answer = await registry.post(await requestWith(first, second))
        assert.equal(answer.body.code, first, `${first} and ${second}`)
      }
    }
    assert.equal(pairs, 45 - 4)
    accepted(await registry.post(await requestWith()))
  })
})

describe('other functions of the registry', () => {
  const LIMITS = { perFid: 2, total: 5 }
  let world: World
  let registry: RegistryClient
  before(async () => {
    world = await createWorld({
      env: {
        ROOKERY_NAME_CHANGE_DAYS: '0',
      },
      config: { nameChanges: { development: LIMITS, production: LIMITS } },
    })
    registry = registryClient(world)
  })
  after(() => world.close())

  test('the registry serves its signer, the time and its health at every spelling of the paths', async () => {
    const signer = { signer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
    for (const path of ['/signer', '/signer/', '/SIGNER']) {
      assert.deepEqual((await registry.get(path)).body, signer)
    }
    assert.deepEqual((await registry.get('/_health')).body, { status: 'ok' })
    const { currentTime } = (await registry.get('/current-time')).body
    assert.equal(currentTime, Math.floor(world.clock.now() / 1000))
    assert.deepEqual((await registry.get('/Transfers/')).body, { transfers: [] })
    const head = await fetch(`${world.app.urls.registry}/transfers`, { method: 'HEAD' })
    assert.equal(head.status, 200)
  })

  test('the registry serves its OpenAPI document and a page for people', async () => {
    const { body } = await registry.get('/openapi.json')
    assert.deepEqual(Object.keys(body.paths), [
      '/transfers',
      '/transfers/current',
      '/availability',
      '/proposals',
      '/signer',
      '/domains',
      '/current-time',
      '/_health',
      '/ccip/{sender}/{data}.json',
      '/ccip',
      '/health/live',
      '/health/ready',
    ])
    const { requestBody, responses } = body.paths['/transfers'].post
    const { required } = requestBody.content['application/json'].schema
    assert.deepEqual(required, ['name', 'from', 'to', 'owner', 'timestamp', 'signature'])
    assert.match(responses[400].description, /THROTTLED/)
    const page = await fetch(`${world.app.urls.registry}/docs`)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<html/i)
  })

  test('too many changes are refused with retry-after, and refusals do not count', async () => {
    const [one, ...others] = await registry.people([1, 2, 3, 4, 5])
    for (let i = 0; i < 5; i++) refused(await registry.release(one!, 'none'), 'USERNAME_NOT_FOUND')
    accepted(await registry.register(one!, 'one'))
    for (let i = 0; i < 5; i++) accepted(await registry.register(one!, 'one'))
    world.clock.advance(1_000)
    accepted(await registry.release(one!, 'one'))
    world.clock.advance(1_000)
    const answer = await registry.register(one!, 'one')
    assert.deepEqual([answer.status, answer.body.code], [429, 'rate_limited'])
    assert.equal(answer.headers.get('retry-after'), '58')
    for (const other of others.slice(0, 3))
      accepted(await registry.register(other, `n${other.fid}`))
    assert.equal((await registry.register(others[3]!, 'n5')).status, 429)
    const admin = { name: 'n6', from: 0, to: 5, fid: ADMIN_FID }
    accepted(await registry.change(ADMIN, admin))
    world.clock.advance(58_000)
    accepted(await registry.register(one!, 'one'))
  })

  test('too many requests of one address are refused before their bodies are read', async (t) => {
    const behindProxy = await createWorld({
      env: { ROOKERY_TRUSTED_PROXIES: '127.0.0.1', ROOKERY_REGISTRY_LIMIT: '3' },
    })
    t.after(() => behindProxy.close())
    const { send } = registryClient(behindProxy)
    const post = (address: string) =>
      send('/transfers', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: '{}',
      })
    const answers = await Promise.all(Array.from({ length: 5 }, () => post('203.0.113.1')))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [400, 400, 400, 429, 429])
    const limited = answers.find(({ status }) => status === 429)!
    assert.equal(limited.body.code, 'rate_limited')
    assert.ok(Number(limited.headers.get('retry-after')) > 0)
    assert.equal((await post('203.0.113.2')).status, 400)
    assert.equal((await send('/transfers')).status, 200)
  })

  test('metrics of the registry count requests by kind and outcome', async () => {
    const metrics = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
    const count = (kind: string, outcome: string) =>
      new RegExp(`registry_requests_total{kind="${kind}",outcome="${outcome}"} (\\d+)`).exec(
        metrics,
      )?.[1]
    assert.equal(count('register', 'transfer'), '6')
    assert.equal(count('register', 'repeat'), '5')
    assert.equal(count('register', 'rate_limited'), '2')
    assert.equal(count('release', 'USERNAME_NOT_FOUND'), '5')
  })
})
