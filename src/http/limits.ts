import { FixedWindow } from '../fixed-window.ts'
import { clientOf } from './client-budget.ts'
import { LOOPBACK } from './cost-budget.ts'
import type { InterfaceOptions, Limit } from './options.ts'
import type { RouteSpec } from './route.ts'
import { MAX_COUNTED_CLIENTS } from './window-store.ts'

/** The counters of the limits of an interface, by name. */
export type Windows = ReadonlyMap<string, FixedWindow>

export const createWindows = ({ limits = {} }: InterfaceOptions): Windows =>
  new Map(
    Object.entries(limits).map(([name, { windowSeconds }]) => {
      const window = { windowMs: windowSeconds * 1000, maxKeys: MAX_COUNTED_CLIENTS }
      return [name, new FixedWindow(window)]
    }),
  )

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address)

export const isExempt = (limit: Limit, { ip }: { readonly ip: string }): boolean =>
  limit.exemptLoopback === true && isLoopback(ip)

/** Counts the requests of a route that are served without the framework. */
export type PlainCount = {
  /** Returns the headers that announce the limit, or undefined when it is exceeded; then nothing is counted. */
  take(ip: string): readonly string[] | undefined
  /** Takes back what `take` counted, because the framework counts the request. */
  giveBack(ip: string): void
}

const UNLIMITED: PlainCount = { take: () => [], giveBack: () => {} }

export function plainCount(
  { limits = {} }: Pick<InterfaceOptions, 'limits'>,
  windows: Windows,
  { limit: name = '' }: Pick<RouteSpec, 'limit'>,
): PlainCount {
  const limit = limits[name]
  const window = windows.get(name)
  if (!limit || !window) return UNLIMITED
  const exempt = limit.announced ? Object.entries(untouched(limit)).flat() : []
  return {
    take: (ip) => (isExempt(limit, { ip }) ? exempt : takePlain(limit, window, clientOf(ip))),
    giveBack: (ip) => {
      if (!isExempt(limit, { ip })) window.count(clientOf(ip), Date.now(), -1)
    },
  }
}

function takePlain(limit: Limit, window: FixedWindow, client: string): string[] | undefined {
  const nowMs = Date.now()
  if (window.take(client, limit.max, nowMs)) return undefined
  const { count, endsAtMs } = window.count(client, nowMs, 0)
  return [
    'x-ratelimit-limit',
    String(limit.max),
    'x-ratelimit-remaining',
    String(limit.max - count),
    'x-ratelimit-reset',
    String(Math.ceil((endsAtMs - nowMs) / 1000)),
  ]
}

/** The headers of a limit that nothing was counted for. */
export const untouched = (limit: Limit) => ({
  'x-ratelimit-limit': String(limit.max),
  'x-ratelimit-remaining': String(limit.max),
  'x-ratelimit-reset': String(limit.windowSeconds),
})
