import { openWholeStore } from '../src/store.ts'
// A chain that changes its mind at random, nodes that fail at random, processes that die at random: what is stored in
// the end is what the chain says in the end.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { openStore } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { effort } from './effort.ts'
import { accountTables, follow, sourceAt } from './follow.ts'
import {
  addressNamed,
  keyAdded,
  keyNamed,
  keyRemoved,
  LogChain,
  type LogQuestion,
  type Misbehaviour,
  recoveryChanged,
  registered,
  rented,
  serveChain,
  transferred,
  type Written,
} from './log-chain.ts'
import { createPlace, type Program, startProgram } from './program.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import { DEVNET } from './world.ts'

const seed = runSeed()
console.log(`chain-random: TEST_SEED=${seed}`)

type Act = {
  readonly kind: 'register' | 'transfer' | 'recovery' | 'add' | 'remove' | 'rent'
  readonly fid: number
  readonly who: string
  readonly key: string
}

const FIDS = 4
const PEOPLE = ['alice', 'bob', 'carol']
const KEYS = ['phone', 'laptop', 'tablet']
const KINDS = ['register', 'transfer', 'recovery', 'add', 'remove', 'rent'] as const

const anyAct: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...KINDS),
  fid: fc.integer({ min: 1, max: FIDS }),
  who: fc.constantFrom(...PEOPLE),
  key: fc.constantFrom(...KEYS),
})

function logOf({ kind, fid, who, key }: Act): Written {
  if (kind === 'register') return registered(fid, who, `rescuer of ${who}`)
  if (kind === 'transfer') return transferred(fid, 'somebody', who)
  if (kind === 'recovery') return recoveryChanged(fid, who)
  if (kind === 'add') return keyAdded(fid, key)
  return kind === 'remove' ? keyRemoved(fid, key) : rented(fid, who.length)
}

/** Every act in turn, the last word counts. */
function model(acts: readonly Act[]) {
  const owners = new Map<number, string>()
  const recoveries = new Map<number, string>()
  const keys = new Map<string, boolean>()
  const units = new Map<number, number>()
  for (const { kind, fid, who, key } of acts) {
    if (kind === 'register' || kind === 'transfer') owners.set(fid, addressNamed(who))
    if (kind === 'register') recoveries.set(fid, addressNamed(`rescuer of ${who}`))
    if (kind === 'recovery') recoveries.set(fid, addressNamed(who))
    if (kind === 'add' || kind === 'remove') keys.set(`${fid} ${keyNamed(key)}`, kind === 'add')
    if (kind === 'rent') units.set(fid, (units.get(fid) ?? 0) + who.length)
  }
  const nobody = `0x${'00'.repeat(20)}`
  return {
    accounts: [...owners].map(([fid, owner]) => `${fid} ${owner} ${recoveries.get(fid) ?? nobody}`),
    keys: [...keys].map(([key, active]) => `${key} ${active}`),
    units: [...units].map(([fid, count]) => `${fid} ${count}`),
  }
}

async function stored(storage: Storage): Promise<ReturnType<typeof model>> {
  const fids = Array.from({ length: FIDS }, (_, i) => i + 1)
  const custodies = await storage.accounts.custodies(fids)
  const signers = await storage.audit.signersOf(fids)
  const rents = Map.groupBy(await storage.accounts.rents(fids), ({ fid }) => fid)
  return {
    accounts: custodies.map((c) => `${c.fid} ${toHex(c.address)} ${toHex(c.recovery)}`),
    keys: signers.map((s) => `${s.fid} ${toHex(s.key)} ${s.active === 1}`),
    units: [...rents].map(([fid, of]) => `${fid} ${of.reduce((sum, { units }) => sum + units, 0)}`),
  }
}

const sorted = (state: ReturnType<typeof model>) =>
  Object.fromEntries(Object.entries(state).map(([name, lines]) => [name, lines.toSorted()]))

/** A chain, and what was done in each of its blocks. */
class ActedChain extends LogChain {
  readonly #acts: (readonly Act[])[] = []

  act(acts: readonly Act[]): void {
    this.mine(acts.map(logOf))
    this.#acts[this.head.number] = acts
  }

  acts(): Act[] {
    return this.#acts.slice(0, this.head.number + 1).flat()
  }

  override dropBlocks(count: number): void {
    super.dropBlocks(count)
    this.#acts.length = Math.min(this.#acts.length, this.head.number + 1)
  }
}

/** One answer in four is none, or none of use; whole ranges are refused. */
const failing = (random: Random): Misbehaviour => {
  const answers: Misbehaviour[] = [
    () => ({ error: { code: -32005, message: 'rate limit exceeded' } }),
    () => ({ error: { code: -32000, message: 'header not found' } }),
    () => ({ error: { code: -32000, message: 'block range too large' } }),
    () => ({ result: null }),
    () => ({ result: 'nonsense' }),
    (_question, response) => {
      response.writeHead(500).end()
      return 'sent'
    },
    (_question, response) => {
      response.end('{"jsonrpc":"2.0","id":1,"res')
      return 'sent'
    },
    (_question, response) => {
      response.socket!.destroy()
      return 'sent'
    },
    ({ method }, _response, right) =>
      method === 'eth_getLogs' ? { result: (right() as object[]).toReversed() } : undefined,
    ({ method }, _response, right) =>
      method === 'eth_getLogs'
        ? { result: (right() as object[]).map((log) => ({ ...log, removed: true })) }
        : undefined,
  ]
  return (...asked) => (random.int(4) === 0 ? random.pick(answers)(...asked) : undefined)
}

describe('following at random', () => {
  let dir: string
  let storage: Storage
  let other: Storage
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'rookery-chain-'))
    storage = await openWholeStore({ dataDir: join(dir, 'a'), network: 'test' })
    other = await openWholeStore({ dataDir: join(dir, 'b'), network: 'test' })
  })
  after(async () => {
    await storage.close()
    await other.close()
    rmSync(dir, { recursive: true })
  })

  /** The end of a chain, as a new follower stores it. */
  const cleanRun = async (url: string, startBlock = 1) => {
    await other.reset()
    await follow(other, sourceAt([url], { startBlock })).catchUp(2_000)
    return accountTables(other)
  }

  test('random reorgs give the same state as following the final chain alone', async () => {
    const anyStep = fc.oneof(
      { weight: 5, arbitrary: fc.array(anyAct, { maxLength: 4 }) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 12 }).map((drop) => ({ drop })) },
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }).map((steps) => ({ steps })) },
    )
    const property = fc.asyncProperty(
      fc.array(anyStep, { minLength: 5, maxLength: 40 }),
      async (script) => {
        await storage.reset()
        const chain = new ActedChain()
        const node = await serveChain(chain)
        try {
          const following = follow(storage, sourceAt([node.url]))
          for (const one of script) {
            if (Array.isArray(one)) chain.act(one)
            else if ('drop' in one) chain.dropBlocks(Math.min(one.drop, chain.head.number))
            else for (let i = 0; i < one.steps; i++) await following.step()
          }
          chain.mineEmpty(script.length + 1)
          await following.catchUp(400)
          assert.deepEqual(sorted(await stored(storage)), sorted(model(chain.acts())))
          assert.equal(await accountTables(storage), await cleanRun(node.url))
        } finally {
          await node.close()
        }
      },
    )
    await fc.assert(property, { seed, numRuns: effort(3, 400) })
  })

  test('random node failures lose and duplicate no events', async () => {
    const random = randomFrom(seed)
    const chain = new ActedChain()
    chain.timesInLogs = false
    const fid = () => 1 + random.int(FIDS)
    for (let i = 0; i < 120; i++) {
      const act = () => ({
        kind: random.pick(KINDS),
        fid: fid(),
        who: random.pick(PEOPLE),
        key: random.pick(KEYS),
      })
      chain.act(Array.from({ length: random.int(4) }, act))
    }
    const nodes = [await serveChain(chain), await serveChain(chain), await serveChain(chain)]
    await storage.reset()
    const told: number[] = []
    const following = follow(storage, sourceAt(nodes.map(({ url }) => url)), {
      random: () => random.int(1_000) / 1_000,
      onMerged: (_tx, _log, events) => void told.push(events.length),
    })
    for (const node of nodes) node.misbehave = failing(random)
    await following.catchUp(2_000)
    for (const node of nodes) node.misbehave = () => undefined
    assert.deepEqual(sorted(await stored(storage)), sorted(model(chain.acts())))
    assert.equal(await accountTables(storage), await cleanRun(nodes[0]!.url))
    assert.equal(
      told.reduce((sum, count) => sum + count),
      chain.acts().length,
      'every event was told once',
    )
    const faults = Object.values(await following.faults()).reduce((sum, count) => sum + count)
    assert.ok(faults > 10, `${faults} failures were counted`)
    for (const node of nodes) await node.close()
  })

  test('after a crash at any step another follower reaches the same state', async () => {
    const random = randomFrom(seed)
    const chain = manyAccounts(500)
    const node = await serveChain(chain)
    node.misbehave = shortRanges(20)
    await storage.reset()
    let deaths = 0
    while (deaths < 30) {
      let lives = 1 + random.int(12)
      const mortal = follow(storage, sourceAt([node.url]), {
        onMerged: () => {
          if (--lives === 0) throw new Error('killed')
        },
      })
      while (lives > 0 && !mortal.follower.status().isCaughtUp) {
        await mortal.step()
        if (random.int(20) === 0) break
      }
      deaths++
    }
    await follow(storage, sourceAt([node.url])).catchUp(2_000)
    assert.equal(await accountTables(storage), await cleanRun(node.url))
    assert.equal((await storage.events.list(0, 10_000)).length, 1_000)
    await node.close()
  })

  test('killing the program during the backfill loses and duplicates no events', async (t) => {
    const random = randomFrom(seed)
    // More than all kills together let it read: then there would be nothing to wait for.
    const accounts = effort(300, 2_000)
    const chain = manyAccounts(accounts)
    const node = await serveChain(chain)
    node.misbehave = shortRanges(20)
    const place = await createPlace('sqlite')
    t.after(async () => {
      await node.close()
      await place.remove()
    })
    const env = {
      ...place.env,
      ROOKERY_NETWORK: 'devnet',
      ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
      ROOKERY_LOG_LEVEL: 'fatal',
      ROOKERY_CHAIN_RPC_URLS: node.url,
      ROOKERY_CHAIN_START_BLOCK: '1',
      ROOKERY_CHAIN_CONFIRMATIONS: '0',
    }
    const ranges = () => node.asked.eth_getLogs ?? 0
    let program: Program
    const positions: number[] = []
    const inStore = async <T>(work: (store: Storage) => Promise<T>) => {
      const store = await openStore(readConfig(env, 'production'))
      try {
        return await work(store)
      } finally {
        await store.close()
      }
    }
    for (let kill = 0; kill < effort(1, 30); kill++) {
      program = await startProgram('serve', env)
      // The first seven are refused, being too long.
      const until = ranges() + 7 + random.int(effort(20, 4))
      while (ranges() < until) await sleep(1)
      await program.stop('SIGKILL')
      positions.push(
        await inStore(async (store) => (await store.chain.newest('accounts'))?.number ?? 0),
      )
    }
    assert.ok(positions.at(-1)! > 0, 'it came forward')
    assert.ok(
      positions.every((position, i) => i === 0 || position >= positions[i - 1]!),
      `it never went back: ${positions}`,
    )
    program = await startProgram('serve', env)
    for (let behind = 1; behind !== 0; await sleep(20)) {
      const info = (await (await fetch(`${program.hub}/v1/info`)).json()) as InfoReply
      behind = info.chain.blocksBehind ?? 1
      assert.equal(info.isSyncing, behind !== 0)
    }
    await program.stop()
    const expected = await cleanRun(node.url)
    await inStore(async (store) => {
      assert.equal(await accountTables(store), expected)
      assert.deepEqual((await verifyStore(store, { network: DEVNET })).examples, [])
      const events = await store.events.list(0, 10_000)
      assert.equal(events.length, 2 * accounts)
    })
    t.diagnostic(`killed at blocks ${positions.join(', ')}`)
  })
})

type InfoReply = { isSyncing: boolean; chain: { blocksBehind: number | null } }

/** A block an account, with its registration and its key. */
function manyAccounts(count: number): LogChain {
  const chain = new LogChain()
  for (let fid = 1; fid <= count; fid++) {
    chain.mine([registered(fid, `owner ${fid}`), keyAdded(fid, `key of ${fid}`)])
  }
  return chain
}

/** Refuses longer ranges, so that there are many steps. */
const shortRanges =
  (blocks: number): Misbehaviour =>
  ({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const { fromBlock, toBlock } = params[0] as LogQuestion
    const length = Number(toBlock) - Number(fromBlock) + 1
    return length > blocks ? { error: { code: -32000, message: 'range too large' } } : undefined
  }
