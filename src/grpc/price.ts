// What calls cost, in the unit and from the budgets of the HTTP interfaces.

import { BASE_UNITS, type Cost, unitsOf, unitsOfAnswer, unitsOfBytes } from '../http/cost.ts'
import { type CostBudget, type Overspent, waitForBudget } from '../http/cost-budget.ts'
import { submitsIn } from '../hub/submit/submit-routes.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Call, Method, StreamCall, UnaryHandler } from './method.ts'

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

/** Longest request of a method that reads: none needs more, and decoding a longer one would cost too much. */
export const MAX_READ_REQUEST_BYTES = 65_536

export type PriceOptions = {
  readonly costs: CostBudget
  /** The address of a call's client. */
  addressOf(call: Call): string
  /** Aborted when the hub stops: refusals are not held back any longer. */
  readonly stopping: AbortSignal
}

/** Charges any call for being received. Returns how it is refused when its client is in debt. */
export const admission =
  (options: PriceOptions) =>
  (call: Call): (() => Promise<never>) | undefined => {
    const address = options.addressOf(call)
    const overspent = options.costs.charge(address, BASE_UNITS)
    return overspent && (() => refuse(options, call, address, overspent))
  }

/** The methods of `methods`, charged to the budgets of their clients. */
export function priced(
  methods: ReadonlyMap<MethodName, Method>,
  options: PriceOptions,
): Map<MethodName, Method> {
  return new Map([...methods].map(([name, method]) => [name, pricedMethod(name, method, options)]))
}

function pricedMethod(name: MethodName, method: Method, options: PriceOptions): Method {
  const cost: Cost = METHOD_COSTS[name]
  const takesMessages = TAKES_MESSAGES.has(name)
  const bounds = {
    ...(!takesMessages && { maxRequestBytes: MAX_READ_REQUEST_BYTES }),
    isShort: cost.rows === undefined && !takesMessages,
  }
  switch (method.kind) {
    case 'unary':
      return { ...bounds, kind: 'unary', handle: pricedCall(method.handle, cost, options) }
    case 'serverStream':
      return {
        ...bounds,
        kind: 'serverStream',
        handle: async (request, call) => {
          await charge(options, call, unitsOf(cost) + unitsOfBytes(request.length))
          await method.handle(request, pricedStream(call, options))
        },
      }
    case 'duplex':
      return {
        ...bounds,
        kind: 'duplex',
        handle: async (requests, call) => {
          await charge(options, call, unitsOf(cost))
          await method.handle(pricedRequests(requests, call, options), pricedStream(call, options))
        },
      }
  }
}

/** Charges a call before it is handled, and gives back what it did not read. */
function pricedCall(handle: UnaryHandler, cost: Cost, options: PriceOptions): UnaryHandler {
  return async (request, call) => {
    const address = options.addressOf(call)
    const messages = call.method === 'SubmitBulkMessages' ? submitsIn(request) : 0
    const ofBody = unitsOf({ signatures: messages, writes: messages })
    await charge(options, call, unitsOf(cost) + unitsOfBytes(request.length) + ofBody, address)
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
