import { useSyncExternalStore } from 'react'
import type { Exchange, Report } from '../../../../src/dev/snaps/schemas.ts'
import { lineOf } from '../../../../src/features/snaps/faults.ts'
import { fetchJson } from '../../../shared/request.ts'
import { signJfs } from '../../act/jfs.ts'
import type { BrowserKey } from '../../act/key-store.ts'
import { networkNow } from '../../act/network.ts'
import {
  type Answer,
  type PreviewedSnap,
  type SnapPage,
  type Surface,
  viewPayload,
} from '../page.ts'

// What the room knows of a snap: every exchange with its server, every page that came, and how the next press goes.

/** As slow as a server may be. */
export const SLOW_MS = 4_900
/** Older ones are forgotten. */
const MAX_ENTRIES = 200
/** A cast that nobody has written. */
const EXAMPLE_CAST = { hash: `0x${'ab'.repeat(20)}`, fid: 1 }

export type Seen = { readonly id: number; readonly url: string; readonly page: SnapPage }

type State = {
  readonly exchanges: readonly (Exchange & { readonly id: number })[]
  readonly seen: readonly Seen[]
  /** The page from the history that is drawn; the first one unless given. */
  readonly drawn: Seen | undefined
  readonly isInCast: boolean
  readonly isSlow: boolean
  /** Whether the next press has no answer. */
  readonly isLost: boolean
}

export type Bench = ReturnType<typeof createBench>

export function createBench(browserKey: BrowserKey) {
  let ids = 0
  let state: State = {
    exchanges: [],
    seen: [],
    drawn: undefined,
    isInCast: false,
    isSlow: false,
    isLost: false,
  }
  const listeners = new Set<() => void>()
  const choose = (change: Partial<State>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const keep = <T>(list: readonly T[], one: T): readonly T[] => [...list, one].slice(-MAX_ENTRIES)
  const record = (exchange: Exchange): void => {
    ids += 1
    choose({ exchanges: keep(state.exchanges, { ...exchange, id: ids }) })
  }
  const see = (url: string, page: SnapPage): Seen => {
    ids += 1
    const seen = { id: ids, url, page }
    choose({ seen: keep(state.seen, seen) })
    return seen
  }
  const exchangeWith = async (method: 'GET' | 'POST', target: string, payload: object) => {
    const jfs = await signJfs(browserKey, JSON.stringify(payload))
    const body = { method, target, ...jfs }
    const exchange = await fetchJson<Exchange>('/dev/snap-press', { method: 'POST', body })
    record(exchange)
    return exchange
  }
  const surface = (): Surface => (state.isInCast ? EXAMPLE_CAST : undefined)
  return {
    browserKey,
    choose,
    surface,
    /** Sends a press as it was signed. */
    async send(target: string, payload: object): Promise<Answer> {
      if (state.isSlow) await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
      if (state.isLost) {
        choose({ isLost: false })
        throw new Error(`${new URL(target).host} did not answer within 5 seconds.`)
      }
      const { status = 0, page, error, faults } = await exchangeWith('POST', target, payload)
      if (page) see(target, page)
      const fault = faults.find(({ severity }) => severity === 'error')
      const said = error ?? (fault && lineOf(fault))
      return { status, ...(page && { page }), ...(said && { error: said }) }
    },
    /** The first page of another snap. */
    async open(url: string): Promise<PreviewedSnap | undefined> {
      const { snapUrl, page } = await this.read(url)
      if (!page || !snapUrl) return undefined
      see(snapUrl, page)
      return { url: snapUrl, page }
    },
    /** What is wrong about a snap, and with an account also about how it verifies presses. */
    async read(url: string, pressAs?: number): Promise<Report> {
      const body = { url, ...(pressAs !== undefined && { pressAs }) }
      const report = await fetchJson<Report>('/dev/snap-report', { method: 'POST', body })
      for (const exchange of report.exchanges) record(exchange)
      return report
    },
    see,
    /** Draws the page that the server has for this account. */
    async view(url: string): Promise<void> {
      const payload = await viewPayload(browserKey.fid, url, surface())
      const { page } = await exchangeWith('GET', url, payload)
      if (page) choose({ drawn: see(url, page) })
    },
    now: networkNow,
    use: () => useSyncExternalStore(subscribe, () => state),
  }
}
