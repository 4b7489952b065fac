import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { rpcTo } from './evm-client.ts'
import { ChainFault } from './fault.ts'

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close().closeAllConnections()
})

type Answer = { result?: unknown; error?: object }

/** A node that answers in this way, and what it was asked. */
async function node(answerTo: (method: string, authorization?: string) => Answer | undefined) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { id, method } = JSON.parse(text)
    asked.push(method)
    const answer = answerTo(method, request.headers.authorization)
    if (!answer) return response.writeHead(502).end()
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const nodeOf = (chainId: number, answer: Answer) =>
  node((method) => (method === 'eth_chainId' ? { result: `0x${chainId.toString(16)}` } : answer))

test('the client asks the next node when one fails or belongs to another chain', async () => {
  const broken = await node(() => undefined)
  const elsewhere = await nodeOf(1, { result: 'theirs' })
  const good = await nodeOf(10, { result: 'ours' })
  // Time stands still, so that the backoff of the others does not end between the calls.
  const rpc = rpcTo([broken.url, elsewhere.url, good.url], 10, { now: () => 0 })
  assert.equal(await rpc('eth_call', [{}]), 'ours')
  assert.equal(await rpc('eth_call', [{}]), 'ours')
  assert.deepEqual(elsewhere.asked, ['eth_chainId'], 'and tells it nothing')
  assert.deepEqual(broken.asked, ['eth_chainId'], 'and leaves both alone for a while')
  assert.deepEqual(good.asked, ['eth_chainId', 'eth_call', 'eth_call'])
})

test('the client waits once, for the given time, for a node that does not answer', async () => {
  let asked = 0
  const silent = createServer(() => {
    asked++
  })
  servers.push(silent)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const good = await nodeOf(10, { result: 'ours' })
  // Time stands still, so that the backoff of the silent node does not end.
  const start = performance.now()
  const rpc = rpcTo([url, good.url], 10, { timeoutMs: 2_000, now: () => start })
  for (let i = 0; i < 5; i++) assert.equal(await rpc('eth_call', [{}]), 'ours')
  assert.equal(asked, 1)
  const ended = new AbortController()
  const unanswered = rpcTo([url], 10, { signal: ended.signal })('eth_call', [{}])
  ended.abort()
  await assert.rejects(unanswered)
})

test('requests at the same time ask a node for its chain id once', async () => {
  const good = await nodeOf(10, { result: 'ours' })
  const rpc = rpcTo([good.url], 10)
  const answers = await Promise.all(Array.from({ length: 5 }, () => rpc('eth_call', [{}])))
  assert.deepEqual(answers, Array(5).fill('ours'))
  assert.deepEqual(good.asked, ['eth_chainId', ...Array(5).fill('eth_call')])
})

test('the chain id of a node is checked again after the node failed', async () => {
  let [chainId, works] = [10, true]
  const moving = await node((method) => {
    if (method === 'eth_chainId') return { result: `0x${chainId.toString(16)}` }
    return works ? { result: chainId } : undefined
  })
  const rpc = rpcTo([moving.url], 10)
  assert.equal(await rpc('eth_call', [{}]), 10)
  works = false
  await assert.rejects(rpc('eth_call', [{}]))
  works = true
  chainId = 1
  await assert.rejects(rpc('eth_call', [{}]), /it is chain 1/)
})

test('user and password in a node URL are sent as Basic credentials', async () => {
  const asked: (string | undefined)[] = []
  const { url } = await node((_method, authorization) => {
    asked.push(authorization)
    return { result: '0xa' }
  })
  await rpcTo([url.replace('//', '//me:p%40ss@')], 10)('eth_blockNumber')
  assert.deepEqual(asked, Array(2).fill(`Basic ${btoa('me:p@ss')}`))
})

test('a refusal by one node is final, and its reason is passed on', async () => {
  const data = '0x8baa579f'
  const reverts = await nodeOf(10, { error: { code: 3, message: 'execution reverted', data } })
  const other = await nodeOf(10, { result: '0x' })
  const rpc = rpcTo([reverts.url, other.url], 10)
  await assert.rejects(rpc('eth_call', [{}]), (error) => {
    assert.ok(error instanceof ChainFault)
    return error.data === data
  })
  assert.deepEqual(other.asked, [])
})

test('when no node answers, the error names the first failure without any URL', async () => {
  const [broken, elsewhere] = [await node(() => undefined), await nodeOf(1, { result: '' })]
  await assert.rejects(rpcTo([broken.url, elsewhere.url], 10)('eth_blockNumber'), (error) => {
    assert.ok(error instanceof ChainFault && !String(error.stack).includes(broken.url))
    return error.kind === 'status'
  })
})
