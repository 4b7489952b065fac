// Starter packs and the reads of addresses and accounts on the client platform.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as core from '@farcaster/core'
import { base58 } from '@scure/base'
import { getAddress } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import {
  userDataAdd,
  verificationAddEth,
  verificationAddSol,
} from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, bytes, onEngines } from './hub-support.ts'
import { type Answer, DEVNET, type PlatformRequest, type TestAccount, type World } from './world.ts'

const { USER_DATA_TYPE_TWITTER, USER_DATA_TYPE_GITHUB } = UserDataType

const { addressClaims } = JSON.parse(
  readFileSync(new URL('../fixtures/network-claims.json', import.meta.url), 'utf8'),
) as {
  addressClaims: {
    fid: number
    protocol: number
    address: string
    blockHash: string
    claimSignature: string
  }[]
}

/** The claim of an address, signed by the published library. */
async function claimOf({ fid }: TestAccount, wallet: PrivateKeyAccount) {
  const blockHash = bytes(32, 1)
  const claim = core
    .makeVerificationAddressClaim(
      fid,
      fromHex(wallet.address)!,
      DEVNET as core.FarcasterNetwork,
      blockHash,
      core.Protocol.ETHEREUM,
    )
    ._unsafeUnwrap()
  const signer = new core.ViemLocalEip712Signer(wallet)
  const claimSignature = (await signer.signVerificationEthAddressClaim(claim))._unsafeUnwrap()
  return { address: fromHex(wallet.address)!, blockHash, claimSignature }
}

const ok = ({ status, body }: Answer) => {
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const no = ({ status, body }: Answer, expected: number, words: RegExp) => {
  assert.equal(status, expected, JSON.stringify(body))
  assert.match(body.errors[0].message, words)
}

/** Walks a list by its cursors. */
async function walk(world: World, path: string, key: string, size: number) {
  const found: Record<string, unknown>[] = []
  for (let cursor = ''; ; ) {
    const body = ok(await world.platform(`${path}&limit=${size}${cursor}`))
    found.push(...body.result[key])
    assert.ok(body.result[key].length <= size)
    if (!body.next) return found
    cursor = `&cursor=${body.next.cursor}`
  }
}

onEngines('starter packs', (world) => {
  const call = (
    account: TestAccount,
    method: PlatformRequest['method'],
    path: string,
    body: object,
  ) => world().platform(path, { method: method!, body, token: world().token(account) })
  const packs = '/fc/starter-packs'
  const membersPath = '/fc/starter-pack-members'

  test('a pack is created, read, edited and deleted by its creator alone', async () => {
    const [creator, other] = await world().accounts([101, 102])
    const body = { name: 'Marsh birds!', description: 'Wet feet.', memberFids: [101, 102] }
    const { starterPack } = ok(await call(creator!, 'POST', packs, body)).result
    assert.match(starterPack.id, /^marsh-birds-[a-z2-7]{8}$/)
    assert.deepEqual(
      { ...starterPack, id: '', createdAt: 0 },
      {
        id: '',
        name: 'Marsh birds!',
        description: 'Wet feet.',
        imageUrl: '',
        creatorFid: 101,
        createdAt: 0,
        memberCount: 2,
      },
    )
    const { id } = starterPack
    assert.deepEqual(ok(await world().platform(`/fc/starter-pack?id=${id}`)).result, {
      starterPack,
    })

    no(await call(other!, 'PATCH', packs, { id, name: 'Mine' }), 403, /FID 102 did not create/)
    no(await call(other!, 'POST', membersPath, { id, fids: [102] }), 403, /did not create/)
    no(await call(other!, 'DELETE', packs, { id }), 403, /did not create/)
    no(await world().platform(packs, { method: 'POST', body }), 401, /./)
    const edited = ok(await call(creator!, 'PATCH', packs, { id, imageUrl: 'https://a.example/b' }))
    assert.deepEqual(edited.result.starterPack, { ...starterPack, imageUrl: 'https://a.example/b' })
    no(await call(creator!, 'PATCH', packs, { id, imageUrl: 'javascript:1' }), 400, /imageUrl/)
    no(await call(creator!, 'POST', packs, { name: '' }), 400, /./)
    no(await call(creator!, 'POST', packs, { description: 'no name' }), 400, /name/)
    no(await call(creator!, 'POST', packs, { name: 'a\u0000b' }), 400, /control characters/)
    no(await call(creator!, 'POST', packs, { name: 'x', memberFids: [999_999] }), 404, /999999/)

    assert.deepEqual(ok(await call(creator!, 'DELETE', packs, { id })).result, { success: true })
    no(await world().platform(`/fc/starter-pack?id=${id}`), 404, /does not exist/)
    no(await world().platform(`${membersPath}?id=${id}`), 404, /does not exist/)
  })

  test('the same creation again answers the same pack, and another one with the id is refused', async () => {
    const [creator, other] = await world().accounts([103, 104])
    const body = { id: 'repeat-1', name: 'Once' }
    const first = ok(await call(creator!, 'POST', packs, body))
    world().clock.advance(5_000)
    assert.deepEqual(ok(await call(creator!, 'POST', packs, body)), first)
    no(await call(creator!, 'POST', packs, { ...body, name: 'Twice' }), 400, /exists already/)
    no(await call(other!, 'POST', packs, body), 400, /exists already/)
    no(await call(creator!, 'POST', packs, { ...body, id: '../x' }), 400, /./)
  })

  test('members are listed by the time at which they were added, and counted once', async () => {
    const [creator] = await world().accounts([105])
    const fids = Array.from({ length: 25 }, (_, i) => 110 + i)
    await world().accounts(fids)
    const { id } = ok(await call(creator!, 'POST', packs, { name: 'Many' })).result.starterPack
    const at = world().clock.now()
    ok(await call(creator!, 'POST', membersPath, { id, fids: fids.slice(0, 20) }))
    world().clock.advance(1)
    const added = ok(await call(creator!, 'POST', membersPath, { id, fids: fids.slice(10) }))
    assert.equal(added.result.starterPack.memberCount, 25)
    const expected = [
      ...fids.slice(20).map((fid) => ({ fid, memberAt: at + 1 })),
      ...fids.slice(0, 20).map((fid) => ({ fid, memberAt: at })),
    ]
    for (const size of [1, 7, 25, 1_000]) {
      assert.deepEqual(await walk(world(), `${membersPath}?id=${id}`, 'members', size), expected)
    }
    const left = ok(
      await call(creator!, 'DELETE', membersPath, { id, fids: [110, 111, 4_000_000] }),
    )
    assert.equal(left.result.starterPack.memberCount, 23)
    no(await call(creator!, 'POST', membersPath, { id, fids: [] }), 400, /./)
    const tooMany = Array.from({ length: 101 }, (_, i) => i + 1)
    no(await call(creator!, 'POST', membersPath, { id, fids: tooMany }), 400, /./)
  })

  test('packs are listed newest first, of all or of one creator', async () => {
    const [one, two] = await world().accounts([106, 107])
    const ids: string[] = []
    for (const [creator, id] of [
      [one!, 'list-1'],
      [two!, 'list-2'],
      [one!, 'list-3'],
    ] as const) {
      world().clock.advance(1_000)
      ok(await call(creator, 'POST', packs, { id, name: id }))
      ids.unshift(id)
    }
    const all = await walk(world(), `${packs}?`, 'starterPacks', 2)
    assert.deepEqual(
      all.slice(0, 3).map(({ id }) => id),
      ids,
    )
    const own = await walk(world(), `${packs}?fid=106`, 'starterPacks', 1)
    assert.deepEqual(
      own.map(({ id }) => id),
      ['list-3', 'list-1'],
    )
  })

  test('an account that moderation hides is in no list of packs and members', async () => {
    const [creator, member] = await world().accounts([108, 109])
    const { id } = ok(
      await call(creator!, 'POST', packs, { name: 'Hidden', memberFids: [108, 109] }),
    ).result.starterPack
    const hide = (fid: number) =>
      world().operate(`/moderation/accounts/${fid}/suspend`, {
        method: 'POST',
        body: { reason: 'spam' },
      })
    assert.equal((await hide(member!.fid)).status, 200)
    const list = await walk(world(), `${membersPath}?id=${id}`, 'members', 10)
    assert.deepEqual(
      list.map(({ fid }) => fid),
      [108],
    )
    assert.equal((await hide(creator!.fid)).status, 200)
    assert.deepEqual(await walk(world(), `${packs}?fid=108`, 'starterPacks', 10), [])
    for (const path of [`/fc/starter-pack?id=${id}`, `${membersPath}?id=${id}`]) {
      assert.equal((await world().platform(path)).status, 404, path)
    }
  })

  test('packs of another server are imported as they were exported, again without change', async () => {
    const path = '/platform/starter-packs'
    const starterPack = {
      id: 'Imported-Pack_1',
      name: 'From elsewhere',
      description: 'Kept.',
      imageUrl: '',
      creatorFid: 1_001,
      createdAt: 1_700_000_000,
    }
    const member = { id: starterPack.id, fid: 1_002, memberAt: 1_700_000_000_123 }
    const lines = [{ starterPackMember: member }, { starterPack }]
    const imported = async (body: object) =>
      world().operate(`${path}/import`, { method: 'POST', body })
    assert.deepEqual(ok(await imported({ lines })).result, {
      starterPacks: 1,
      starterPackMembers: 1,
    })
    assert.deepEqual(ok(await imported({ lines })).result, {
      starterPacks: 0,
      starterPackMembers: 0,
    })
    const exported: Record<string, { id?: string }>[] = []
    for (let cursor = ''; ; ) {
      const page = ok(await world().operate(`${path}/export?limit=2${cursor}`))
      exported.push(...page.result.lines)
      if (!page.next) break
      cursor = `&cursor=${page.next.cursor}`
    }
    const own = exported.filter((line) => Object.values(line)[0]!.id === starterPack.id)
    assert.deepEqual(own, [{ starterPack }, { starterPackMember: member }])
    const stolen = { ...starterPack, creatorFid: 1_003 }
    assert.equal((await imported({ lines: [{ starterPack: stolen }] })).status, 400)
    const lost = { starterPackMember: { ...member, id: 'nowhere' } }
    assert.equal((await imported({ lines: [lost] })).status, 404)
    assert.equal((await imported({ lines: [{}] })).status, 400)
  })
})

onEngines('addresses and accounts', (world) => {
  const get = (path: string) => world().platform(`/fc/${path}`)
  const submit = async (account: TestAccount, data: Parameters<World['sign']>[1]) =>
    accepted(await world().submit(world().sign(account, data)))

  test('the primary address is that of the profile, else the one verified last', async () => {
    const account = await world().account(2)
    const at = (second: number) => world().origin(account, second)
    no(await get('primary-address?fid=2&protocol=ethereum'), 404, /no primary ethereum address/)
    const wallets = [1, 2].map((n) => privateKeyToAccount(toHex(bytes(32, n)) as `0x${string}`))
    for (const [i, wallet] of wallets.entries()) {
      await submit(account, verificationAddEth(at(100 + i), await claimOf(account, wallet)))
    }
    // Published on the deployed network by fid 2.
    const claim = addressClaims.find(({ fid, protocol }) => fid === 2 && protocol === 1)!
    const solana = base58.encode(fromHex(claim.address)!)
    const origin = { ...at(102), network: 1 }
    await submit(
      account,
      verificationAddSol(origin, {
        address: fromHex(claim.address)!,
        blockHash: fromHex(claim.blockHash)!,
        claimSignature: fromHex(claim.claimSignature)!,
      }),
    )
    const of = async (protocol: string) =>
      ok(await get(`primary-address?fid=2&protocol=${protocol}`)).result.address
    const [first, second] = wallets.map(({ address }) => getAddress(address)) as [string, string]
    assert.deepEqual(await of('ethereum'), { fid: 2, protocol: 'ethereum', address: second })
    assert.deepEqual(await of('solana'), { fid: 2, protocol: 'solana', address: solana })

    const { USER_DATA_PRIMARY_ADDRESS_ETHEREUM: ETHEREUM } = UserDataType
    await submit(account, userDataAdd(at(103), ETHEREUM, first))
    assert.equal((await of('ethereum')).address, first)
    await submit(account, userDataAdd(at(104), ETHEREUM, ''))
    assert.equal((await of('ethereum')).address, second)

    const list = ok(await get('primary-addresses?fids=39939393939,2,3&protocol=solana'))
    assert.deepEqual(list.result.addresses, [
      { fid: 39_939_393_939, success: false },
      { fid: 2, success: true, address: { fid: 2, protocol: 'solana', address: solana } },
      { fid: 3, success: false },
    ])
    const many = Array.from({ length: 101 }, (_, i) => i + 1).join()
    for (const query of [
      'primary-addresses?fids=x&protocol=solana',
      `primary-addresses?fids=${many}&protocol=solana`,
      'primary-addresses?fids=1',
      'primary-address?fid=1&protocol=bitcoin',
      'primary-address?protocol=solana',
    ]) {
      assert.equal((await get(query)).status, 400, query)
    }
  })

  test('accounts on other platforms are those that profiles name, the newest first', async () => {
    const accounts = await world().accounts([211, 212, 213])
    const [first, second, third] = accounts as [TestAccount, TestAccount, TestAccount]
    const x = (account: TestAccount, second: number, name: string) =>
      submit(account, userDataAdd(world().origin(account, second), USER_DATA_TYPE_TWITTER, name))
    await x(first, 100, 'heron')
    await x(second, 101, 'egret')
    await x(third, 102, 'curlew')
    await submit(
      third,
      userDataAdd(world().origin(third, 103), USER_DATA_TYPE_GITHUB, 'curlew-git'),
    )
    const list = async (query: string, size = 10) =>
      (await walk(world(), `/fc/account-verifications?${query}`, 'verifications', size)).map(
        ({ fid, platform, platformUsername }) => `${fid} ${platform} ${platformUsername}`,
      )
    const all = ['213 x curlew', '212 x egret', '211 x heron']
    for (const size of [1, 2, 3]) assert.deepEqual(await list('', size), all)
    assert.deepEqual(await list('platform=x&fid=212'), ['212 x egret'])
    assert.deepEqual(await list('platform=github'), ['213 github curlew-git'])
    assert.deepEqual(await list('platform=discord'), [])
    const [entry] = ok(await get('account-verifications?fid=211')).result.verifications
    assert.deepEqual(Object.keys(entry), [
      'fid',
      'platform',
      'platformId',
      'platformUsername',
      'verifiedAt',
    ])

    await x(first, 104, 'grey_heron')
    await x(second, 105, '')
    assert.deepEqual(await list(''), ['211 x grey_heron', '213 x curlew'])
    assert.equal((await get('account-verifications?platform=y')).status, 400)
    assert.equal((await get('account-verifications?limit=1001')).status, 400)
    await world().restart()
    assert.deepEqual(await list(''), ['211 x grey_heron', '213 x curlew'])
  })
})
