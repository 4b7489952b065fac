// A network moves from its ledger to a chain as docs/chain.md says, with messages of the authors of whom a copy by submits
// loses 1,455 of 5,450.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { devAccount } from '../src/dev/accounts.ts'
import { placeContracts } from '../src/dev/deploy.ts'
import { createChainCalls } from '../src/kernel/accounts/chain/calls.ts'
import { DEPLOYED_CHAIN_CONTRACTS } from '../src/kernel/accounts/chain/contracts.ts'
import type { AccountCalls } from '../src/kernel/accounts/port.ts'
import {
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
  signRemove,
} from '../src/kernel/accounts/signatures/sign.ts'
import {
  buildMessage,
  castAdd,
  castRemove,
  type DataInit,
  linkAdd,
  linkCompactState,
  type Origin,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { DAY_SECONDS, networkTime } from '../src/kernel/protocol/time.ts'
import { CastType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { noAnvil, startAnvil } from './anvil.ts'
import { accepted, post, refused } from './hub-support.ts'
import {
  allOf,
  asMirror,
  hashesOf,
  type MirrorWorld,
  mirrorSettings,
  sourceOf,
} from './mirror-support.ts'
import { type Person, registryClient } from './registry-support.ts'
import { until } from './until.ts'
import { accountEvents, createWorld, enginesOf, WORLD_START_MS, type World } from './world.ts'

/** Later than in other worlds: units of today's kind last a year when they are rented from June 2026 on. */
const START = WORLD_START_MS / 1_000 + 3 * 365 * DAY_SECONDS
const START_MS = START * 1_000
const OP_MAINNET = 10
/** A unit lasts a year, and messages are kept for 30 days longer. */
const FIVE_DAYS_OVER_A_YEAR = 370 * DAY_SECONDS
const DEADLINE = BigInt(START + DAY_SECONDS)
const LONG_TEXT = 'x'.repeat(990)
/** A bulk of large casts that one request takes. */
const BULK = 250

/** The fids of the authors, and how many messages each has. */
const AUTHORS = { rotated: 1, lapsed: 2, prolific: 3, ordinary: 4 } as const
const COUNTS = { rotated: 200, lapsed: 150, prolific: 4_800, ordinary: 300 } as const
const FIDS = Object.values(AUTHORS)
const TOTAL = 5_450
/** At the ledger, and of those on the chain who have rented: enough for 4,800 casts. */
const UNITS = 60

describe('a network that moves from a ledger to a chain', { skip: noAnvil }, () => {
  let source: World
  let people: readonly Person[]
  let chain: Awaited<ReturnType<typeof startAnvil>>

  before(async () => {
    source = await createWorld({ startMs: START_MS })
    const registry = registryClient(source)
    people = await registry.people(FIDS)
    const rents = people.map(({ app }) => accountEvents(app, START, UNITS)[2]!)
    await source.app.ledger!.importEvents(rents.map((rent) => ({ ...rent, logIndex: 3 })))
    registry.accepted(await registry.register(people[AUTHORS.ordinary - 1]!, 'ordinary'))
    await source.app.hub.catchUpNames()
    for (const [name, fid] of Object.entries(AUTHORS)) {
      await submitAll(source, messagesOf(name as keyof typeof AUTHORS, people[fid - 1]!))
    }
    chain = await startAnvil(OP_MAINNET, ['--timestamp', String(START - FIVE_DAYS_OVER_A_YEAR)])
    await placeContracts(chain.rpc)
    const payer = devAccount(0).custody
    const { rpc } = chain
    const contracts = DEPLOYED_CHAIN_CONTRACTS
    await registerAll(
      createChainCalls({ rpc, chainId: OP_MAINNET, contracts, payer, signupUnits: 1 }),
    )
  })
  after(async () => {
    await source?.close()
    await chain?.close()
  })

  /**
   * In the order of the fids, long ago, with two units: one holds 100 casts. One person loses a key since, and one lets the
   * storage end.
   */
  async function registerAll(calls: AccountCalls): Promise<void> {
    for (const { account, app, fid } of people) {
      const terms = { requestFid: AUTHORS.rotated, key: app.key, deadline: DEADLINE }
      const metadata = await signedKeyRequestMetadata(people[0]!.account, terms)
      const registration = await signRegister(account, { deadline: DEADLINE, extraStorage: 1 })
      const key = await signAdd(account, { key: app.key, metadata, deadline: DEADLINE })
      const registered = await calls.register({ ...registration, keys: [key] })
      assert.equal(registered.fid, fid)
    }
    await chain.rpc('evm_setNextBlockTimestamp', [START - 3_600])
    for (const fid of FIDS) if (fid !== AUTHORS.lapsed) await calls.rent({ fid, units: UNITS })
    const { account, app } = people[AUTHORS.rotated - 1]!
    await calls.removeFor(await signRemove(account, { key: app.key, deadline: DEADLINE }))
  }

  for (const engine of enginesOf(import.meta.url)) {
    test(`a network that moves to a chain on ${engine} keeps each of its 5,450 messages`, async () => {
      const there = await hashesOf(source.app.storage, FIDS)
      assert.equal(Object.values(there).flat().length, TOTAL)
      const world = await createWorld({
        engine,
        startMs: START_MS,
        env: {
          ROOKERY_CHAIN_RPC_URLS: chain.url,
          ROOKERY_CHAIN_START_BLOCK: '1',
          ROOKERY_CHAIN_CONFIRMATIONS: '0',
          ROOKERY_REGISTRY_URL: source.app.urls.registry,
        },
      })
      try {
        await until(async () => (await world.get('/v1/info')).body.isSyncing === false)
        await world.app.hub.catchUpNames()
        await world.restart({ ...mirrorSettings(sourceOf(source)), ROOKERY_MIRROR_SCOPE: 'all' })
        await assertComplete(asMirror(world))
        await world.restart({
          ROOKERY_MIRROR_URLS: '',
          ROOKERY_MIRROR_MIN_FREE_GIB: '',
          ROOKERY_MIRROR_SCOPE: '',
        })
        await assertGoesOn(world)
        await world.app.jobs.run('prune messages')
        assert.deepEqual(await hashesOf(world.app.storage, FIDS), there)
        await assertUsable(world)
      } finally {
        await world.close()
      }
    })
  }

  async function assertComplete(mirror: MirrorWorld): Promise<void> {
    await until(async () => {
      // A comparison that has failed is repeated by the clock.
      mirror.clock.advance(1_000)
      return (await mirror.status()).people.live === FIDS.length
    })
    await mirror.settled(allOf(source))
    const { people: states, quarantine, trust } = await mirror.status()
    assert.deepEqual([states.live, states.differ, quarantine], [FIDS.length, 0, {}])
    assert.match(trust, /accounts from chain 10/)
    const { body } = await mirror.operate('/mirror/verify?level=lists')
    assert.deepEqual([body.checked, body.differences], [FIDS.length, []])
  }

  const of = (author: keyof typeof AUTHORS): Person => people[AUTHORS[author] - 1]!

  /** Without the source the server knows keys and storage of the chain alone. */
  async function assertGoesOn(world: World): Promise<void> {
    assert.equal((await world.get('/v1/info')).body.mirror, undefined)
    for (const [author, code] of [
      ['rotated', 'bad_request.unknown_signer'],
      ['lapsed', 'bad_request.no_storage'],
    ] as const) {
      const { app } = of(author)
      const cast = castAdd(world.origin(app), { text: 'after the move' })
      refused(await world.submit(world.sign(app, cast)), { code })
    }
  }

  async function assertUsable(world: World): Promise<void> {
    const { app } = of('ordinary')
    const cast = castAdd(world.origin(app), { text: 'after the move' })
    accepted(await world.submit(world.sign(app, cast)))
    const name = await world.get(`/v1/userDataByFid?fid=${app.fid}&user_data_type=6`)
    assert.equal(accepted(name).data.userDataBody.value, 'ordinary')
  }
})

function messagesOf(author: keyof typeof AUTHORS, { app }: Person): SignedMessage[] {
  const count = COUNTS[author]
  const inits = Array.from({ length: count }, (_, i): DataInit => {
    const origin = { fid: app.fid, timestamp: networkTime(START_MS) - count + i, network: 3 }
    if (author === 'ordinary') return ordinaryMessage(origin, i)
    const isLong = author === 'prolific'
    return castAdd(
      origin,
      isLong ? { text: `${LONG_TEXT}${i}`, type: CastType.LONG_CAST } : { text: `cast ${i}` },
    )
  })
  return inits.map((init) => buildMessage(init, app.seed))
}

/** One of everything now and then. */
function ordinaryMessage(origin: Origin, i: number): DataInit {
  const hash = Buffer.alloc(20, i)
  if (i === 0) return userDataAdd(origin, UserDataType.USER_DATA_TYPE_USERNAME, 'ordinary')
  if (i === 1) return userDataAdd(origin, UserDataType.USER_DATA_TYPE_BIO, 'at home everywhere')
  if (i === 2) return linkCompactState(origin, 'follow', [1, 2])
  switch (i % 5) {
    case 0:
      return castRemove(origin, hash)
    case 1:
      return linkAdd(origin, 'follow', 1_000 + i)
    case 2:
      return reactionAdd(origin, 1, { fid: 3, hash })
    default:
      return castAdd(origin, { text: `cast ${i}` })
  }
}

async function submitAll(world: World, messages: readonly SignedMessage[]): Promise<void> {
  for (let at = 0; at < messages.length; at += BULK) {
    const bulk = encodeList(messages.slice(at, at + BULK))
    const { messages: answers } = accepted(await post(world, '/v1/submitBulkMessages', bulk))
    for (const { errCode } of answers) assert.equal(errCode, undefined)
  }
}
