import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { unitsOf } from '../limits/cost.ts'
import { CostBudget } from '../limits/cost-budget.ts'
import { Rejection } from '../protocol/rejection.ts'
import { HubService } from '../protocol/wire/rpc_pb.js'
import { HUB_METHODS, type MethodName } from './hub-methods.ts'
import type { Call, Method, StreamCall } from './method.ts'
import { admission, priced } from './price.ts'

function setUp(methods: Readonly<Partial<Record<MethodName, Method>>>, unitsPerSecond = 100) {
  let now = 0
  const costs = new CostBudget(
    {
      unitsPerSecond,
      principalUnitsPerSecond: 1,
      totalUnitsPerSecond: 1e6,
      burstSeconds: 10,
      totalBurstSeconds: 10,
      exemptLoopback: false,
    },
    () => now,
  )
  const stop = new AbortController()
  const prices = { costs, addressOf: ({ peer }: Call) => peer, stopping: stop.signal }
  return {
    costs,
    admit: admission(prices),
    stop: () => stop.abort(),
    method: (name: MethodName) => priced(methods[name]!, HUB_METHODS[name], prices),
    advance: (ms: number) => {
      now += ms
    },
  }
}

const callOf = (method: string, peer = '192.0.2.1'): Call => ({
  method,
  peer,
  header: () => undefined,
  isCancelled: () => false,
})

const isRefusal = (error: unknown) => error instanceof Rejection && error.code === 'rate_limited'

test('methods with a price are those of the wire, and only look-ups by key have a small one', () => {
  const declared = new Set(HubService.methods.map(({ name }) => name))
  const names = Object.keys(HUB_METHODS) as MethodName[]
  assert.deepEqual(
    names.filter((name) => !declared.has(name)),
    // Of an earlier version of the service, and of the health check.
    ['GetConnectedPeers', 'Check'],
  )
  const small = names.filter((name) => unitsOf(HUB_METHODS[name].cost) < 10)
  assert.ok(small.length > 15)
  const lists = small.filter((name) => /ByFid$|ByCast$|ByTarget$|ByParent$|ByMention$/.test(name))
  assert.deepEqual(lists, ['GetCurrentStorageLimitsByFid'])
})

test('security finding 15: gRPC calls use the budget of their client up, and what was not read is given back', async () => {
  const answer = new Uint8Array(4_096)
  const { method, advance } = setUp({
    GetCastsByFid: { kind: 'unary', handle: () => answer },
    GetCast: { kind: 'unary', handle: () => new Uint8Array(10) },
  })
  const list = method('GetCastsByFid')
  assert.equal(list.kind, 'unary')
  if (list.kind !== 'unary') return
  const request = new Uint8Array(4)
  let answered = 0
  const calls = async () => {
    for (;;) {
      await list.handle(request, callOf('GetCastsByFid'))
      answered++
    }
  }
  await assert.rejects(calls, isRefusal)
  // One page holds 1,000 units while it is read, and then costs about 13: the price of looking, and of 4 KiB.
  assert.equal(answered, 1)
  advance(10_000)
  await list.handle(request, callOf('GetCastsByFid'))
  await list.handle(request, callOf('GetCastsByFid', '192.0.2.2'))
  const lookUp = method('GetCast')
  if (lookUp.kind !== 'unary') return
  for (let i = 0; i < 400; i++) await lookUp.handle(request, callOf('GetCast'))
})

test('security finding 15: a client that repeats refused gRPC calls without a pause gets 40 refusals in two seconds', async () => {
  const { method, costs, advance, stop } = setUp({
    GetCast: { kind: 'unary', handle: () => new Uint8Array(0) },
    Subscribe: { kind: 'serverStream', handle: async () => {} },
  })
  costs.consume('192.0.2.1', 1e6)
  const delayMs = costs.refusalDelayMs.bind(costs)
  // Calls look after a millisecond whether their time has come.
  costs.refusalDelayMs = (address) => Math.min(1, delayMs(address))
  const [lookUp, subscribe] = [method('GetCast'), method('Subscribe')]
  if (lookUp.kind !== 'unary' || subscribe.kind !== 'serverStream') throw new TypeError()
  let refused = 0
  let isCancelled = false
  const call = { ...callOf('GetCast'), isCancelled: () => isCancelled }
  const stream = { ...callOf('Subscribe') } as StreamCall
  const noBytes = new Uint8Array(0)
  const ask = () => [
    lookUp.handle(noBytes, call) as Promise<never>,
    subscribe.handle(noBytes, stream),
  ]
  const answers = Array.from({ length: 60 }, ask)
    .flat()
    .map((answer) => assert.rejects(answer, isRefusal).then(() => refused++))
  const settled = () => sleep(20)
  await settled()
  assert.equal(refused, 40)
  advance(1_999)
  await settled()
  assert.equal(refused, 40)
  advance(1)
  while (refused < 80) await settled()
  await settled()
  assert.equal(refused, 80)
  isCancelled = true
  while (refused < 100) await settled()
  stop()
  await Promise.all(answers)
})

test('requests that read over gRPC may have 64 KiB, and those that submit as much as any', () => {
  const handle = () => new Uint8Array(0)
  const { method } = setUp({
    GetCast: { kind: 'unary', handle },
    SubmitMessage: { kind: 'unary', handle },
  })
  assert.equal(method('GetCast').maxRequestBytes, 65_536)
  assert.equal(method('SubmitMessage').maxRequestBytes, undefined)
})

test('security finding F5: every gRPC call is charged before anything of it is read, whatever its method', async () => {
  const { admit, advance } = setUp({})
  const callsOf = (method: string) => {
    for (let calls = 0; ; calls++) if (admit(callOf(method))) return calls
  }
  // Ten seconds of savings.
  assert.equal(callsOf('unknown'), 1_000)
  assert.equal(callsOf('SubmitMessage'), 0)
  advance(1_000)
  assert.equal(callsOf('GetInfo'), 100)
  await assert.rejects(admit(callOf('GetInfo'))!, isRefusal)
  assert.equal(admit(callOf('GetInfo', '192.0.2.2')), undefined)
})

test('a bulk submit over gRPC is charged for each message that it holds', async () => {
  const { method } = setUp({
    SubmitBulkMessages: { kind: 'unary', handle: () => new Uint8Array(0) },
  })
  const submit = method('SubmitBulkMessages')
  if (submit.kind !== 'unary') throw new TypeError()
  const callsWith = async (count: number, peer: string) => {
    const request = Uint8Array.from(Array(count).fill([10, 0]).flat())
    for (let calls = 0; ; calls++) {
      try {
        await submit.handle(request, callOf('SubmitBulkMessages', peer))
      } catch {
        return calls
      }
    }
  }
  assert.equal(await callsWith(100, '192.0.2.1'), 9)
  assert.equal(await callsWith(1, '192.0.2.2'), 999)
})

test('a gRPC stream that has used up its budget waits before it sends more', async () => {
  const { method, costs } = setUp({
    Subscribe: {
      kind: 'serverStream',
      async handle(_request, call) {
        assert.equal(call.write([new Uint8Array(4_096 * 500)]), undefined)
        await call.write([new Uint8Array(4_096 * 2_000)])
      },
    },
  })
  const ended = new AbortController()
  const stream: StreamCall = {
    ...callOf('Subscribe'),
    signal: ended.signal,
    sendHeaders() {},
    write: () => undefined,
  }
  const subscribe = method('Subscribe')
  if (subscribe.kind !== 'serverStream') throw new TypeError()
  let isDone = false
  const done = subscribe.handle(new Uint8Array(0), stream).then(() => {
    isDone = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isDone, false)
  assert.ok(costs.tryConsume('192.0.2.1', 1))
  // The wait ends with the stream.
  ended.abort()
  await done
})
