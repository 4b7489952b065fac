// Charges calls to the budgets that the HTTP interfaces use.

import { BASE_UNITS, unitsOf, unitsOfAnswer, unitsOfBytes } from '../limits/cost.ts'
import {
  type BudgetExceeded,
  budgetRefusal,
  type CostBudget,
  waitForBudget,
} from '../limits/cost-budget.ts'
import { type HubMethod, PAGE } from './hub-method.ts'
import { type Call, type Method, type StreamCall, type UnaryHandler, withWrite } from './method.ts'

/** Longest request of a method that reads: none needs more, and decoding a longer one would cost too much. */
export const MAX_READ_REQUEST_BYTES = 65_536

export type PriceOptions = {
  readonly costs: CostBudget
  /** The address of a call's client. */
  addressOf(call: Call): string
  /** Aborted when the hub stops: refusals are not held back any longer. */
  readonly stopping: AbortSignal
}

/** What a method costs, without how it is made. */
export type Terms = Omit<HubMethod, 'of' | 'admit'>

/** Charges any call for being received. Returns how it is refused when its client is in debt. */
export const admission =
  (options: PriceOptions) =>
  (call: Call): (() => Promise<never>) | undefined => {
    const address = options.addressOf(call)
    const exceeded = options.costs.tryConsume(address, BASE_UNITS)
    return exceeded && (() => refuse(options, call, address, exceeded))
  }

/** A method whose calls are charged to the budgets of their clients. */
export function priced(method: Method, terms: Terms, options: PriceOptions): Method {
  const { cost, takesMessages = false } = terms
  const bounds = {
    ...(!takesMessages && { maxRequestBytes: MAX_READ_REQUEST_BYTES }),
    isShort: cost.rows === undefined && !takesMessages,
  }
  switch (method.kind) {
    case 'unary':
      return { ...bounds, kind: 'unary', handle: pricedCall(method.handle, terms, options) }
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

/** Charges a call before it is handled, and refunds rows that it did not read. */
function pricedCall(
  handle: UnaryHandler,
  { cost, costOfRequest }: Terms,
  options: PriceOptions,
): UnaryHandler {
  return async (request, call) => {
    const address = options.addressOf(call)
    const ofRequest = unitsOf(costOfRequest?.(request) ?? {})
    await charge(options, call, unitsOf(cost) + unitsOfBytes(request.length) + ofRequest, address)
    let answered = 0
    try {
      const answer = await handle(request, call)
      answered = answer instanceof Uint8Array ? answer.length : answer.bytes.length
      return answer
    } finally {
      options.costs.consume(address, unitsOfAnswer(cost.rows ?? 0, answered))
    }
  }
}

/** A stream pays for what it sends, and waits while its client is in debt. */
function pricedStream(call: StreamCall, { costs, addressOf }: PriceOptions): StreamCall {
  const address = addressOf(call)
  const debtMs = () => costs.debtMs(address)
  return withWrite(call, (messages) => {
    const written = call.write(messages)
    let bytes = 0
    for (const { length } of messages) bytes += length
    costs.consume(address, unitsOfBytes(bytes))
    if (debtMs() === 0) return written
    return Promise.all([written, waitForBudget(debtMs, call.signal)]).then(() => {})
  })
}

/** Charges each request of a stream; its answers are charged as they are sent. */
async function* pricedRequests(
  requests: AsyncIterable<Uint8Array>,
  call: StreamCall,
  options: PriceOptions,
): AsyncGenerator<Uint8Array> {
  const units = BASE_UNITS + unitsOf({ scanned: PAGE.scanned })
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
  const exceeded = options.costs.tryConsume(address, units)
  return exceeded && refuse(options, call, address, exceeded)
}

/**
 * Refusals are not charged. So a client gets a limited number of them, whatever the number of its connections
 * and streams, and its other calls wait.
 */
async function refuse(
  { costs, stopping }: PriceOptions,
  call: Call,
  address: string,
  exceeded: BudgetExceeded,
): Promise<never> {
  await waitForBudget(() => (call.isCancelled() ? 0 : costs.refusalDelayMs(address)), stopping)
  throw budgetRefusal(exceeded)
}
