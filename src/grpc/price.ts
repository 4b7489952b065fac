// What calls cost, in the unit and from the budgets of the HTTP interfaces.

import { BASE_UNITS, type Cost, unitsOf, unitsOfAnswer, unitsOfBytes } from '../http/cost.ts'
import { type CostBudget, type Overspent, waitForBudget } from '../http/cost-budget.ts'
import { submitsIn } from '../hub/submit-routes.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Answer, Call, Method, StreamCall } from './method.ts'
import { MAX_READ_REQUEST_BYTES } from './plain-calls.ts'

/** Look-ups by key. */
const LOOK_UP: Cost = { cpu: 'small' }
/** A page ends after 3.5 MiB; what is not answered is given back. A list may look at rows that it leaves out. */
const PAGE: Cost = { cpu: 'small', rows: 5_000, scanned: 4_000 }

/** What a call of each method costs at most; of a stream, what its start costs. A method without a price cannot be served. */
export const METHOD_COSTS = {
  SubmitMessage: { signatures: 1, writes: 1 },
  SubmitBulkMessages: {},
  ValidateMessage: { cpu: 'small', signatures: 1 },
  GetEvent: LOOK_UP,
  GetEvents: PAGE,
  GetCast: LOOK_UP,
  GetCastsByFid: PAGE,
  GetCastsByMention: PAGE,
  GetCastsByParent: PAGE,
  GetReaction: LOOK_UP,
  GetReactionsByFid: PAGE,
  GetReactionsByCast: PAGE,
  GetReactionsByTarget: PAGE,
  GetUserData: LOOK_UP,
  GetUserDataByFid: PAGE,
  GetUsernameProof: LOOK_UP,
  GetUserNameProofsByFid: PAGE,
  GetVerification: LOOK_UP,
  GetVerificationsByFid: PAGE,
  GetLink: LOOK_UP,
  GetLinksByFid: PAGE,
  GetLinksByTarget: PAGE,
  GetLinkCompactStateMessageByFid: PAGE,
  GetAllCastMessagesByFid: PAGE,
  GetAllReactionMessagesByFid: PAGE,
  GetAllVerificationMessagesByFid: PAGE,
  GetAllUserDataMessagesByFid: PAGE,
  GetAllLinkMessagesByFid: PAGE,
  GetAllLendStorageMessagesByFid: PAGE,
  GetOnChainSigner: LOOK_UP,
  GetOnChainSignersByFid: PAGE,
  GetOnChainEvents: PAGE,
  GetIdRegistryOnChainEvent: LOOK_UP,
  GetIdRegistryOnChainEventByAddress: LOOK_UP,
  GetCurrentStorageLimitsByFid: { cpu: 'moderate' },
  GetFids: PAGE,
  GetSigner: LOOK_UP,
  GetSignersByFid: PAGE,
  GetFidAddressType: LOOK_UP,
  GetInfo: LOOK_UP,
  GetSyncStatus: LOOK_UP,
  GetCurrentPeers: LOOK_UP,
  GetConnectedPeers: LOOK_UP,
  Check: LOOK_UP,
  Subscribe: LOOK_UP,
  StreamFetch: LOOK_UP,
} satisfies Readonly<Record<string, Cost>>

/** A method that is served. */
export type MethodName = keyof typeof METHOD_COSTS

const TAKES_MESSAGES: ReadonlySet<string> = new Set([
  'SubmitMessage',
  'SubmitBulkMessages',
  'ValidateMessage',
])

/** What a call of a method that is not served costs. */
export const UNSERVED_COST = LOOK_UP

export type PriceOptions = {
  readonly costs: CostBudget
  /** The address of a call's client. */
  addressOf(call: Call): string
  /** Aborted when the hub stops: refusals are not held back any longer. */
  readonly stopping: AbortSignal
}

/** The methods of `methods`, charged to the budgets of their clients. */
export function priced(
  methods: ReadonlyMap<MethodName, Method>,
  options: PriceOptions,
): Map<MethodName, Method> {
  return new Map(
    [...methods].map(([name, method]) => [name, pricedMethod(method, METHOD_COSTS[name], options)]),
  )
}

export function pricedMethod(method: Method, cost: Cost, options: PriceOptions): Method {
  const start = unitsOf(cost) + BASE_UNITS
  switch (method.kind) {
    case 'read':
      return { kind: 'read', handle: pricedCall(method.handle, cost, options) }
    case 'unary':
      return { kind: 'unary', handle: pricedCall(method.handle, cost, options) }
    case 'serverStream':
      return {
        kind: 'serverStream',
        handle: async (request, call) => {
          checkSize(request, call.method)
          await charge(options, call, start + unitsOfBytes(request.length))
          await method.handle(request, pricedStream(call, options))
        },
      }
    case 'duplex':
      return {
        kind: 'duplex',
        handle: async (requests, call) => {
          await charge(options, call, start)
          await method.handle(pricedRequests(requests, call, options), pricedStream(call, options))
        },
      }
  }
}

function checkSize({ length }: Uint8Array, method: string): void {
  if (length <= MAX_READ_REQUEST_BYTES || TAKES_MESSAGES.has(method)) return
  throw new Rejection(
    'bad_request.too_large',
    `the request has ${length} bytes; at most ${MAX_READ_REQUEST_BYTES} are taken`,
  )
}

/** Charges a call before it is handled, and gives back what it did not read. */
function pricedCall<A extends Uint8Array | Answer>(
  handle: (request: Uint8Array, call: Call) => Promise<A> | A,
  cost: Cost,
  options: PriceOptions,
): (request: Uint8Array, call: Call) => Promise<A> {
  const start = unitsOf(cost) + BASE_UNITS
  return async (request, call) => {
    checkSize(request, call.method)
    const address = options.addressOf(call)
    const messages = call.method === 'SubmitBulkMessages' ? submitsIn(request) : 0
    const ofBody = unitsOf({ signatures: messages, writes: messages })
    await charge(options, call, start + unitsOfBytes(request.length) + ofBody, address)
    let answered = 0
    try {
      const answer = await handle(request, call)
      answered = answer instanceof Uint8Array ? answer.length : answer.bytes.length
      return answer
    } finally {
      options.costs.settle(address, unitsOfAnswer(cost.rows ?? 0, answered))
    }
  }
}

/** A stream pays for what it sends, and waits while its client is in debt. */
function pricedStream(call: StreamCall, { costs, addressOf }: PriceOptions): StreamCall {
  const address = addressOf(call)
  const owed = () => costs.spend(address, 0)
  return {
    method: call.method,
    signal: call.signal,
    get peer() {
      return call.peer
    },
    header: (name) => call.header(name),
    isCancelled: () => call.isCancelled(),
    sendHeaders: (headers) => call.sendHeaders(headers),
    write(messages) {
      const written = call.write(messages)
      let bytes = 0
      for (const { length } of messages) bytes += length
      const waitMs = costs.spend(address, unitsOfBytes(bytes))
      if (waitMs === 0) return written
      return Promise.all([written, waitForBudget(waitMs, owed, call.signal)]).then(() => {})
    },
  }
}

/** Charges each request of a stream for what it may cause, besides what is sent for it. */
async function* pricedRequests(
  requests: AsyncIterable<Uint8Array>,
  call: StreamCall,
  options: PriceOptions,
): AsyncGenerator<Uint8Array> {
  const units = BASE_UNITS + unitsOf({ scanned: PAGE.scanned! })
  for await (const request of requests) {
    checkSize(request, call.method)
    await charge(options, call, units + unitsOfBytes(request.length))
    yield request
  }
}

/** Charges a call to its client. Rejects when a budget is used up. */
function charge(
  options: PriceOptions,
  call: Call,
  units: number,
  address = options.addressOf(call),
): Promise<void> | undefined {
  const overspent = options.costs.charge(address, units)
  return overspent && refuse(options, call, address, overspent)
}

/**
 * Refusals are not charged. So a client gets a limited number of them, whatever the number of its connections
 * and streams, and its other calls wait.
 */
async function refuse(
  { costs, stopping }: PriceOptions,
  call: Call,
  address: string,
  overspent: Overspent,
): Promise<never> {
  const delayMs = () => (call.isCancelled() ? 0 : costs.refusalDelayMs(address))
  await waitForBudget(delayMs(), delayMs, stopping)
  throw refusalOf(overspent)
}

function refusalOf({ by, retryAfterMs }: Overspent): Rejection {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
  return by === 'all'
    ? new Rejection('unavailable.overloaded', 'the server is busy', { retryAfterSeconds })
    : new Rejection('rate_limited', 'API rate limit exceeded', { retryAfterSeconds })
}
