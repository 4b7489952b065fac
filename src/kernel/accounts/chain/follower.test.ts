import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Engine, onEngines, sqlite } from '../../../../test/accounts-support.ts'
import { accountTables, follow, POLL_MS, sourceAt } from '../../../../test/follow.ts'
import {
  addressNamed,
  keyAdded,
  keyNamed,
  keyRemoved,
  keyReset,
  LogChain,
  type LogQuestion,
  type Misbehaviour,
  recoveryChanged,
  registered,
  rented,
  serveChain,
  transferred,
  written,
} from '../../../../test/log-chain.ts'
import { openWholeStore } from '../../../store.ts'
import { fromHex, toHex } from '../../protocol/codec/bytes.ts'
import type { Storage } from '../../storage/storage.ts'
import { storedAccounts } from '../reads.ts'
import { type ChainSource, claimSources, WrongSourceError } from './source.ts'

const DEVNET = 3
const key = (name: string) => fromHex(keyNamed(name))!

/** One store, chain and node a test; the store is emptied between tests. */
function suite(engine: Engine, tests: (place: Place) => void): void {
  const place = {} as { -readonly [K in keyof Place]: Place[K] }
  let drop: () => Promise<void>
  const nodes: { close(): Promise<void> }[] = []
  before(async () => {
    ;[place.storage, drop] = await engine.open()
  })
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await place.storage.close()
    await drop()
  })
  place.chain = async (options) => {
    await place.storage.reset()
    const chain = new LogChain(options)
    return { chain, ...(await place.node(chain)) }
  }
  place.node = async (chain) => {
    const node = await serveChain(chain)
    nodes.push(node)
    return { node, source: sourceAt([node.url]) }
  }
  tests(place)
}

type Node = Awaited<ReturnType<typeof serveChain>>
type Place = {
  readonly storage: Storage
  chain(
    options?: ConstructorParameters<typeof LogChain>[0],
  ): Promise<{ chain: LogChain; node: Node; source: ChainSource }>
  node(chain: LogChain): Promise<{ node: Node; source: ChainSource }>
}

const hubEvents = async (storage: Storage) => (await storage.events.list(0, 10_000)).length

/** Two accounts with a key each, spread over blocks. */
function mineAccounts(chain: LogChain): void {
  chain.mine([registered(1, 'alice', 'rescuer'), rented(1, 2)])
  chain.mineEmpty(3)
  chain.mine([keyAdded(1, 'phone')])
  chain.mine([registered(2, 'bob'), rented(2, 1), keyAdded(2, 'laptop')])
  chain.mineEmpty(2)
}

onEngines('following a chain', (engine) =>
  suite(engine, (place) => {
    const terms = { network: DEVNET, storageEnds: true }
    const accountsOf = () => storedAccounts(place.storage, { now: () => 1_767_300_000_000 }, terms)

    test('followed logs become accounts and hub events', async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      const following = follow(place.storage, source)
      await following.catchUp()
      const accounts = accountsOf()
      const alice = await accounts.custodyOf(1)
      assert.equal(toHex(alice!.address), addressNamed('alice'))
      assert.equal(toHex(alice!.recovery), addressNamed('rescuer'))
      assert.equal(await accounts.fidOf(fromHex(addressNamed('bob'))!), 2)
      assert.equal(await accounts.isActiveKey(1, key('phone')), true)
      assert.equal(await accounts.isActiveKey(1, key('laptop')), false)
      assert.deepEqual(await accounts.storageUnits(1), { legacy: 0, u2024: 0, u2025: 2 })
      assert.equal(await hubEvents(place.storage), 6)
      assert.deepEqual(following.follower.status(), {
        source: 'accounts',
        chainId: 10,
        headBlock: 8,
        followedBlock: 8,
        blocksBehind: 0,
        secondsBehind: 1_767_300_000 - 1_767_000_016,
        isCaughtUp: true,
        stopped: undefined,
        faults: [undefined],
      })
    })

    test('later changes of accounts are followed too', async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      const following = follow(place.storage, source)
      await following.catchUp()
      chain.mine([
        written('Recover', { from: addressNamed('alice'), to: addressNamed('carol'), id: 1n }),
        transferred(1, 'alice', 'carol'),
        recoveryChanged(1, 'friend'),
      ])
      chain.mine([keyRemoved(1, 'phone')])
      await following.catchUp()
      const accounts = accountsOf()
      assert.equal(toHex((await accounts.custodyOf(1))!.address), addressNamed('carol'))
      assert.equal(toHex((await accounts.custodyOf(1))!.recovery), addressNamed('friend'))
      assert.equal(await accounts.fidOf(fromHex(addressNamed('alice'))!), undefined)
      assert.equal(await accounts.isActiveKey(1, key('phone')), false)
    })

    test('the follower continues where it stopped, and asks only for missing blocks', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      await follow(place.storage, source).catchUp()
      chain.mine([keyAdded(1, 'tablet')])
      const ranges: string[] = []
      node.misbehave = ({ method, params }) => {
        if (method !== 'eth_getLogs') return undefined
        const { fromBlock, toBlock } = params[0] as LogQuestion
        ranges.push(`${Number(fromBlock)}-${Number(toBlock)}`)
        return undefined
      }
      await follow(place.storage, source).catchUp()
      // The blocks of the overlap are all that there are.
      assert.deepEqual(ranges, ['1-9'])
      assert.equal(await accountsOf().isActiveKey(1, key('tablet')), true)
      assert.equal(await hubEvents(place.storage), 7)
    })

    test('of two followers on one store, one merges each event, and the other continues when it ends', async () => {
      const { chain, node, source } = await place.chain()
      for (let fid = 1; fid <= 60; fid++) chain.mine([registered(fid, `owner ${fid}`)])
      // Where that is possible, as another process would open it.
      const isShared = place.storage.settings.databaseUrl === undefined
      const second = isShared ? place.storage : await openWholeStore(place.storage.settings)
      const both = [follow(place.storage, source), follow(second, source)]
      for (let i = 0; i < 20; i++) await Promise.all(both.map((one) => one.step()))
      assert.equal(await hubEvents(place.storage), 60)
      const merged = await Promise.all(both.map((one) => one.metric('rookery_chain_events_total')))
      assert.equal(merged[0]! + merged[1]!, 60)

      const asked = () => node.asked.eth_getLogs ?? 0
      const before = asked()
      for (let i = 0; i < 10; i++) {
        chain.mine()
        for (const one of both) await one.step()
      }
      assert.ok(asked() - before <= 11, `${asked() - before} questions for 10 blocks`)

      chain.mine([registered(61, 'late')])
      await both[1]!.catchUp()
      assert.equal(await accountsOf().fidOf(fromHex(addressNamed('late'))!), 61)
      if (!isShared) await second.close()
    })

    test('a range with many events is stored in batches, and a stop between two batches loses nothing', async () => {
      const { chain, source } = await place.chain()
      for (let block = 0; block < 300; block++) {
        chain.mine(Array.from({ length: 10 }, (_, i) => rented(block * 10 + i + 1, 1)))
      }
      let transactions = 0
      const failing = follow(place.storage, source, {
        onMerged: () => {
          if (++transactions === 2) throw new Error('the power went')
        },
      })
      for (let i = 0; i < 100 && transactions < 2; i++) await failing.step()
      const stored = (await place.storage.chain.newest('accounts'))!.number
      assert.ok(stored > 0 && stored < 300, `stopped at block ${stored}`)
      await follow(place.storage, source).catchUp()
      assert.equal((await place.storage.audit.rowCounts()).chainEvents, 3_000)
      assert.equal(await hubEvents(place.storage), 3_000)
      assert.equal((await place.storage.chain.blocks('accounts', 1_000)).length, 128)
    })

    test('a reorg rolls back the events of blocks that are no longer on the chain', async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      const following = follow(place.storage, source)
      await following.catchUp()
      const before = await accountTables(place.storage)
      chain.mine([transferred(1, 'alice', 'carol'), keyRemoved(2, 'laptop'), rented(3, 9)])
      chain.mine([registered(3, 'dave'), keyAdded(3, 'desk')])
      await following.catchUp()
      assert.equal(await accountsOf().isActiveKey(3, key('desk')), true)

      chain.dropBlocks(2)
      chain.mineEmpty(2)
      await following.catchUp()
      assert.equal(await accountTables(place.storage), before)
      assert.equal(await following.metric('rookery_chain_rolled_back_events_total'), 5)
      assert.equal(await accountsOf().isActiveKey(3, key('desk')), false)
      assert.equal(await accountsOf().isActiveKey(2, key('laptop')), true)

      chain.mine([registered(3, 'erin'), keyAdded(3, 'desk')])
      await following.catchUp()
      assert.equal(toHex((await accountsOf().custodyOf(3))!.address), addressNamed('erin'))
      assert.equal(await accountsOf().isActiveKey(3, key('desk')), true)
    })

    test('listeners learn of rolled back events in the transaction that rolls them back', async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      const told: string[] = []
      const following = follow(place.storage, source, {
        onReorg: async (tx, events) => {
          const active = (await tx.accounts.signers([{ fid: 2, key: key('tablet') }])).length
          told.push(...events.map(({ type, blockNumber }) => `${type}@${blockNumber} ${active}`))
        },
      })
      await following.catchUp()
      chain.mine([keyAdded(2, 'tablet')])
      await following.catchUp()
      chain.dropBlocks(1)
      chain.mine()
      await following.catchUp()
      assert.deepEqual(told, ['1@9 0'])
    })

    test('a reorg below every remembered block stops the follower', async () => {
      const { chain, source } = await place.chain()
      for (let fid = 1; fid <= 200; fid++) chain.mine([registered(fid, `owner ${fid}`)])
      const following = follow(place.storage, source)
      await following.catchUp()
      const before = await accountTables(place.storage)
      chain.dropBlocks(180)
      chain.mineEmpty(181)
      await following.catchUp()
      assert.match(following.follower.status().stopped!, /none of the last 128 blocks/)
      assert.equal(await following.metric('rookery_chain_stopped'), 1)
      assert.equal(await accountTables(place.storage), before)
    })

    test('settings that differ from those of the stored data are refused, and both are named', async () => {
      const { chain, source } = await place.chain({ firstBlock: 99 })
      mineAccounts(chain)
      const settings = { ...source, startBlock: 100 }
      await claimSources(place.storage, [settings])
      await follow(place.storage, settings).catchUp()
      await claimSources(place.storage, [settings])
      const others: [ChainSource[], RegExp][] = [
        [[{ ...settings, startBlock: 101 }], /from block 100 .* from block 101 /],
        [[{ ...settings, startBlock: 99 }], /from block 100 .* from block 99 /],
        [[{ ...settings, chainId: 11 }], /on chain 10 .* on chain 11 /],
        [
          [{ ...settings, contracts: { ...settings.contracts, idRegistry: '0xabcd' } }],
          /idRegistry=0x00000000fc6c5f.*idRegistry=0xabcd/,
        ],
        [[], /chain 10 .* no chain/],
      ]
      for (const [sources, both] of others) {
        const check = (error: Error) =>
          error instanceof WrongSourceError && both.test(error.message)
        await assert.rejects(claimSources(place.storage, sources), check)
      }
    })

    test('a chain is not followed into a store with accounts of the ledger', async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      await follow(place.storage, source).catchUp()
      const held = await place.storage.accounts.custodies([1])
      await place.storage.reset()
      await place.storage.write('hub', (tx) => tx.accounts.putCustodies(held))
      await assert.rejects(claimSources(place.storage, [source]), /hold the ledger's accounts/)
    })
  }),
)

describe('following a chain while nodes fail', () =>
  suite(sqlite, (place) => {
    /** Misbehaves on the first `times` questions of a method. */
    const first = (times: number, method: string, misbehave: Misbehaviour): Misbehaviour => {
      let left = times
      return (question, ...rest) =>
        question.method === method && left-- > 0 ? misbehave(question, ...rest) : undefined
    }
    const logs = 'eth_getLogs'
    const header = 'eth_getBlockByNumber'
    const change =
      (how: (logs: Record<string, unknown>[]) => unknown): Misbehaviour =>
      (_question, _response, right) => ({ result: how(right() as Record<string, unknown>[]) })
    const status =
      (code: number, body = '', headers = {}): Misbehaviour =>
      (_question, response) => {
        response.writeHead(code, headers).end(body)
        return 'sent'
      }
    const raw =
      (text: string): Misbehaviour =>
      (_question, response) => {
        response.end(text)
        return 'sent'
      }
    const error =
      (code: number, message: string): Misbehaviour =>
      () => ({ error: { code, message } })

    const failures: readonly [string, string, Misbehaviour][] = [
      ['a rate limit', 'rate limit', first(2, logs, status(429, '', { 'retry-after': '7' }))],
      [
        'a rate limit in words',
        'rate limit',
        first(2, logs, error(-32005, 'project ID request rate exceeded')),
      ],
      [
        'a rate limit for batches',
        'rate limit',
        first(2, header, error(-32016, 'over rate limit')),
      ],
      ['an inner error', 'status', first(2, logs, status(500, 'oops'))],
      ['a bad gateway in the middle of a batch', 'status', first(2, header, status(502, '<html>'))],
      ['an empty answer', 'malformed', first(2, logs, raw(''))],
      ['cut JSON', 'malformed', first(2, logs, raw('{"jsonrpc":"2.0","id":1,"result":[{"addr'))],
      ['an answer to something else', 'malformed', first(2, logs, raw('{"id":0,"result":[]}'))],
      ['an answer that is null', 'malformed', first(2, logs, raw('null'))],
      [
        'logs that are no list',
        'malformed',
        first(
          2,
          logs,
          change(() => ({})),
        ),
      ],
      [
        'a connection that breaks',
        'network',
        first(2, logs, (_question, response) => {
          response.socket!.destroy()
          return 'sent'
        }),
      ],
      [
        'logs out of order',
        'suspicious',
        first(
          2,
          logs,
          change((all) => all.toReversed()),
        ),
      ],
      [
        'logs twice',
        'suspicious',
        first(
          2,
          logs,
          change((all) => all.flatMap((one) => [one, one])),
        ),
      ],
      [
        'a log of a block that was not asked for',
        'suspicious',
        first(
          2,
          logs,
          change((all) => [...all, { ...all.at(-1), blockNumber: '0xffff' }]),
        ),
      ],
      [
        'a log of another contract',
        'suspicious',
        first(
          2,
          logs,
          change((all) => [{ ...all[0], address: addressNamed('other') }]),
        ),
      ],
      [
        'a log of another event',
        'suspicious',
        first(
          2,
          logs,
          change((all) => [{ ...all[0], topics: [keyNamed('other')] }]),
        ),
      ],
      [
        'a log that was removed',
        'suspicious',
        first(
          2,
          logs,
          change((all) => [{ ...all[0], removed: true }]),
        ),
      ],
      [
        'a log that is pending',
        'suspicious',
        first(
          2,
          logs,
          change((all) => [{ ...all[0], blockNumber: null, blockHash: null }]),
        ),
      ],
      [
        'two blocks of one number',
        'suspicious',
        first(
          2,
          logs,
          change((all) => [all[0], { ...all[1], blockHash: keyNamed('other') }]),
        ),
      ],
      [
        'logs without a block hash',
        'malformed',
        first(
          2,
          logs,
          change((all) => [{ ...all[0], blockHash: undefined }]),
        ),
      ],
      [
        'a node that has forgotten the newest block',
        'behind',
        first(2, header, ({ params }) => (params[0] === 'latest' ? undefined : { result: null })),
      ],
      [
        'another block than the one asked for',
        'suspicious',
        first(4, header, ({ params }, _response, right) =>
          params[0] === 'latest'
            ? undefined
            : { result: { ...(right() as object), number: '0x7' } },
        ),
      ],
      [
        'a node of another chain',
        'wrong chain',
        first(2, 'eth_chainId', () => ({ result: '0x1' })),
      ],
      ['no chain id', 'malformed', first(2, 'eth_chainId', () => ({ result: 'ten' }))],
    ]

    let expected: { tables: string; events: number }
    before(async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      await follow(place.storage, source).catchUp()
      expected = { tables: await accountTables(place.storage), events: 6 }
    })
    const checkWhole = async () => {
      assert.equal(await accountTables(place.storage), expected.tables)
      assert.equal(await hubEvents(place.storage), expected.events)
    }

    for (const [what, kind, misbehave] of failures) {
      test(`${what} is counted and repeated after a backoff`, async () => {
        const { chain, node, source } = await place.chain()
        mineAccounts(chain)
        node.misbehave = misbehave
        const following = follow(place.storage, source)
        await following.catchUp()
        await checkWhole()
        const faults = await following.faults()
        assert.ok((faults[`${kind}@0`] ?? 0) >= 1, JSON.stringify(faults))
        assert.ok(following.waited() >= 1_500, `it waited ${following.waited()} ms`)
        assert.ok(following.warnings.every((text) => !text.includes(node.url)))
      })
    }

    test('a request to a node that does not answer times out', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      node.misbehave = first(1, logs, () => 'sent')
      const following = follow(place.storage, source, { timeoutMs: 1_000 })
      await following.catchUp()
      await checkWhole()
      const { 'timeout@0': timeouts, ...others } = await following.faults()
      // Other requests may time out too on a busy machine.
      assert.ok(timeouts! >= 1)
      assert.deepEqual(others, {})
    })

    const refusals: readonly [string, Misbehaviour][] = [
      ['Alchemy', error(-32602, 'Log response size exceeded. You can make eth_getLogs requests')],
      ['Infura', error(-32005, 'query returned more than 10000 results')],
      ['QuickNode', error(-32614, 'eth_getLogs is limited to a 10,000 range')],
      ['Ankr', error(-32062, 'Block range is too large')],
      ['PublicNode', error(-32701, 'exceed maximum block range: 50000')],
      ['dRPC', error(35, 'ranges over 10000 blocks are not supported on freetier')],
      ['Cloudflare', error(-32047, "'fromBlock'-'toBlock' range too large. Max range: 800")],
      ['LlamaNodes', error(-32000, 'query exceeds max results 20000, retry with the range 1-2')],
      ['geth', error(-32000, 'query timeout exceeded')],
      ['a proxy', status(413)],
      [
        'a status with words',
        status(400, '{"error":{"code":-32600,"message":"block range limit exceeded"}}'),
      ],
    ]
    for (const [who, refuse] of refusals) {
      test(`a range that ${who} refuses is split in halves`, async () => {
        const { chain, node, source } = await place.chain()
        mineAccounts(chain)
        chain.mineEmpty(40)
        node.misbehave = (question, ...rest) => {
          if (question.method !== logs) return undefined
          const { fromBlock, toBlock } = question.params[0] as LogQuestion
          return Number(toBlock) - Number(fromBlock) >= 5 ? refuse(question, ...rest) : undefined
        }
        const following = follow(place.storage, source)
        await following.catchUp()
        await checkWhole()
        assert.deepEqual(await following.faults(), { 'refused range@0': 8 })
        assert.ok(following.waited() <= 2 * POLL_MS, 'nothing was waited for')
      })
    }

    test('a log that one node omitted is found when its range is read again', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      node.misbehave = first(
        1,
        logs,
        change((all) => all.slice(0, -3)),
      )
      const following = follow(place.storage, source)
      await following.catchUp()
      chain.mine()
      await following.catchUp()
      await checkWhole()
    })

    test('a head below an earlier one belongs to a node that is behind', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      const following = follow(place.storage, source)
      await following.catchUp()
      chain.mine()
      node.misbehave = first(1, header, () => ({ result: chain.answer(header, ['0x3']) }))
      await following.step()
      assert.deepEqual(await following.faults(), { 'behind@0': 1 })
      assert.equal(await following.metric('rookery_chain_rolled_back_events_total'), 0)
      await following.catchUp()
      await checkWhole()
    })

    test('the next URL is asked when one fails, and the first again after its backoff', async () => {
      const { chain, node } = await place.chain()
      mineAccounts(chain)
      const { node: other } = await place.node(chain)
      node.misbehave = () => ({ error: { code: -32000, message: 'maintenance' } })
      const following = follow(place.storage, sourceAt([node.url, other.url]))
      await following.catchUp()
      await checkWhole()
      assert.deepEqual(await following.faults(), { 'rpc error@0': 1 })
      assert.equal(following.waited(), POLL_MS, 'the other one was asked at once')
      const asked = Object.values(other.asked).reduce((sum, count) => sum + count)
      node.misbehave = () => undefined
      for (let i = 0; i < 5; i++) await following.step()
      assert.ok(Object.values(other.asked).reduce((sum, count) => sum + count) <= asked + 1)
      assert.deepEqual(following.follower.status().faults, [undefined, undefined])
    })

    test('a node of another chain is asked for nothing but its chain id', async () => {
      const { chain } = await place.chain()
      mineAccounts(chain)
      const { node: wrong } = await place.node(new LogChain({ chainId: 1 }))
      const { node: right } = await place.node(chain)
      const following = follow(place.storage, sourceAt([wrong.url, right.url]))
      await following.catchUp()
      for (let i = 0; i < 10; i++) await following.step()
      await checkWhole()
      assert.deepEqual(Object.keys(wrong.asked), ['eth_chainId'])
    })

    /** From now on these are nodes of a chain with not one block in common. */
    const turnAway = (nodes: readonly Node[], chainId: number) => {
      const other = new LogChain({ chainId })
      other.dropBlocks(1)
      other.mineEmpty(30)
      for (const node of nodes) {
        node.misbehave = ({ method, params }) => ({ result: other.answer(method, params) })
      }
    }

    test('a URL that starts to serve another chain is not used until it serves the right one again', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      const following = follow(place.storage, source)
      await following.catchUp()
      turnAway([node], 1)
      for (let i = 0; i < 3; i++) await following.step()
      assert.deepEqual(Object.keys(await following.faults()), ['wrong chain@0'])
      node.misbehave = () => undefined
      await following.catchUp()
      await checkWhole()
    })

    test('one node with wrong blocks does not stop the follower while another has the right ones', async () => {
      const { chain, node } = await place.chain()
      mineAccounts(chain)
      const { node: right } = await place.node(chain)
      const following = follow(place.storage, sourceAt([node.url, right.url]))
      await following.catchUp()
      turnAway([node], 10)
      chain.mine([registered(3, 'carol')])
      await following.catchUp()
      assert.deepEqual(await following.faults(), { 'moved@0': 1 })
      assert.equal(await place.storage.accounts.count(), 3)
      // Both of them: there is nothing left to go by.
      turnAway([node, right], 10)
      await following.catchUp()
      assert.match(following.follower.status().stopped!, /none of the last/)
    })

    test('a node that was down is asked for ranges of the same size when it is back', async () => {
      const { chain, node, source } = await place.chain()
      chain.mineEmpty(900)
      mineAccounts(chain)
      node.misbehave = status(504)
      const following = follow(place.storage, source)
      for (let i = 0; i < 12; i++) await following.step()
      node.misbehave = () => undefined
      await following.catchUp()
      assert.equal(node.asked.eth_getLogs, 1)
    })

    test('a node that is behind does not set the reported head of the chain', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      const following = follow(place.storage, source)
      await following.catchUp()
      node.misbehave = first(1, header, () => ({ result: chain.answer(header, ['0x3']) }))
      await following.step()
      assert.equal(following.follower.status().headBlock, 8)
    })

    test('a process that is not the leader knows the position of the follower', async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      const [one, other] = [follow(place.storage, source), follow(place.storage, source)]
      await one.catchUp()
      await other.catchUp()
      const third = follow(place.storage, source)
      await third.step()
      for (let i = 0; i < 3; i++) {
        chain.mine()
        await one.catchUp()
        await third.step()
      }
      const { isCaughtUp, headBlock, followedBlock } = third.follower.status()
      assert.deepEqual([isCaughtUp, headBlock, followedBlock], [true, 11, 11])
    })

    test("backoff grows, and a node's retry-after is respected", async () => {
      const { node, source } = await place.chain()
      node.misbehave = status(500)
      const following = follow(place.storage, source, { random: () => 1 })
      const waits: number[] = []
      for (let i = 0; i < 11; i++) waits.push(await following.step())
      const seconds = waits.map((ms) => ms / 1000)
      assert.deepEqual(seconds, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
      node.misbehave = status(429, '', { 'retry-after': '400' })
      assert.equal(await following.step(), 400_000)
    })

    for (const [how, status] of [
      ['in words', 200],
      ['by status', 400],
    ] as const) {
      test(`a node that refuses batches ${how} gets single requests`, async () => {
        const { chain, node, source } = await place.chain()
        chain.timesInLogs = false
        node.batches = { status, code: -32600, message: 'batches are not allowed' }
        mineAccounts(chain)
        const following = follow(place.storage, source)
        await following.catchUp()
        await checkWhole()
        assert.deepEqual(await following.faults(), {})
      })
    }

    test('a rate limit for a whole batch does not count as a refusal of batches', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      node.batches = { status: 200, code: 429, message: 'slow down' }
      const following = follow(place.storage, source)
      for (let i = 0; i < 3; i++) await following.step()
      assert.deepEqual(await following.faults(), { 'rate limit@0': 2 })
      node.batches = undefined
      await following.catchUp()
      await checkWhole()
    })

    test('a range that takes a node too long is shorter in the next request', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      chain.mineEmpty(1_000)
      node.misbehave = (question, ...rest) => {
        if (question.method !== logs) return undefined
        const { fromBlock, toBlock } = question.params[0] as LogQuestion
        return Number(toBlock) - Number(fromBlock) > 300
          ? status(504)(question, ...rest)
          : undefined
      }
      const following = follow(place.storage, source)
      await following.catchUp()
      await checkWhole()
      assert.deepEqual(await following.faults(), { 'timeout@0': 2 })
    })

    test('a block time that is missing in logs is requested once', async () => {
      const { chain, node, source } = await place.chain()
      chain.timesInLogs = false
      mineAccounts(chain)
      const following = follow(place.storage, source)
      await following.catchUp()
      chain.mine()
      await following.catchUp()
      await checkWhole()
      assert.equal(node.asked.eth_getBlockByHash, 3)
    })

    test('an invalid log is skipped and counted once', async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      chain.mine([registered(2 ** 32, 'nobody'), rented(1, 2 ** 40), registered(3, 'carol')])
      const following = follow(place.storage, source)
      await following.catchUp()
      chain.mineEmpty(2)
      await following.catchUp()
      assert.equal(await following.metric('rookery_chain_skipped_logs_total'), 2)
      assert.equal(await place.storage.accounts.count(), 3)
      assert.deepEqual(await following.faults(), {})
    })

    test('a block counts when it has its confirmations', async () => {
      const { chain, source } = await place.chain()
      chain.mine([registered(1, 'alice')])
      const following = follow(place.storage, { ...source, confirmations: 2 })
      const count = async () => {
        await following.catchUp()
        return place.storage.accounts.count()
      }
      chain.mine()
      assert.equal(await count(), 0)
      chain.mine()
      assert.equal(await count(), 1)
    })

    test('the follower waits for a chain that has not reached its start block', async () => {
      const { chain, source } = await place.chain()
      const following = follow(place.storage, { ...source, startBlock: 5 })
      await following.step()
      assert.deepEqual(await following.faults(), { 'behind@0': 1 })
      chain.mineEmpty(4)
      chain.mine([registered(1, 'alice')])
      await following.catchUp()
      assert.equal(await place.storage.accounts.count(), 1)
    })

    test('a fid that was registered twice belongs to the later address', async () => {
      const { chain, source } = await place.chain()
      chain.mine([registered(1, 'alice')])
      chain.mine([registered(1, 'bob')])
      await follow(place.storage, source).catchUp()
      const [custody] = await place.storage.accounts.custodies([1])
      assert.equal(toHex(custody!.address), addressNamed('bob'))
    })

    test('tier purchases are followed on their own chain, beside the accounts', async () => {
      const { chain, source } = await place.chain()
      mineAccounts(chain)
      const base = new LogChain({ chainId: 8453 })
      const bought = { fid: 1n, tier: 1n, forDays: 30n, payer: addressNamed('payer') }
      base.mine([written('PurchasedTier', bought)])
      const { node } = await place.node(base)
      const tiers = sourceAt([node.url], { name: 'tiers', chainId: 8453 })
      const both = [follow(place.storage, source), follow(place.storage, tiers)]
      for (const one of both) await one.catchUp()
      const [row] = await place.storage.accounts.eventsOf([{ fid: 1, type: 5 }])
      assert.ok(row)
      base.dropBlocks(1)
      base.mine()
      await both[1]!.catchUp()
      assert.equal(await accountTables(place.storage), expected.tables)
    })

    test('a key reset makes a key active again on the deployed contracts, and nowhere else', async () => {
      const elsewhere = { keyRegistry: addressNamed('keys') }
      for (const [contracts, active] of [
        [{}, true],
        [elsewhere, false],
      ] as const) {
        const { chain, source } = await place.chain()
        const moved = (log: ReturnType<typeof keyAdded>) => ({
          ...log,
          address: 'keyRegistry' in contracts ? contracts.keyRegistry : log.address,
        })
        chain.mine([registered(1, 'alice'), moved(keyAdded(1, 'phone'))])
        chain.mine([moved(keyRemoved(1, 'phone'))])
        chain.mine([moved(keyReset(1, 'phone'))])
        const settings = { ...source, contracts: { ...source.contracts, ...contracts } }
        await follow(place.storage, settings).catchUp()
        const [state] = await place.storage.accounts.signers([{ fid: 1, key: key('phone') }])
        assert.equal(state!.active === 1, active)
      }
    })

    test('a poll costs one request when there are no new blocks', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      const following = follow(place.storage, source)
      await following.catchUp()
      const before = Object.values(node.asked).reduce((sum, count) => sum + count)
      for (let i = 0; i < 5; i++) assert.equal(await following.step(), POLL_MS)
      assert.equal(
        Object.values(node.asked).reduce((sum, count) => sum + count),
        before + 5,
      )
    })

    test('stopping the follower ends a request in progress', async () => {
      const { chain, node, source } = await place.chain()
      mineAccounts(chain)
      node.misbehave = () => 'sent'
      const { follower } = follow(place.storage, source)
      const ended = new AbortController()
      const following = follower.follow(ended.signal)
      await new Promise((resolve) => setTimeout(resolve, 20))
      ended.abort()
      await following
    })
  }))
