import { t } from '../shared/messages.ts'
import { type Call, fetchJson, Refusal, refusalOf, Unreachable } from '../shared/request.ts'

// What the page asks of the operations interface that served it. The token is sent in a header and kept for this
// tab alone: never in an address, which servers and browsers remember.

const KEY = 'rookery.operator'

export const storedToken = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined
export function keepToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, token)
}

/** In whose name the page asks: who has the token, or an account with the role operator, through the front door. */
type Caller = {
  readonly prefix: string
  token(): Promise<string | undefined>
  readonly fid?: number
}
let caller: Caller = { prefix: '', token: async () => storedToken() }

/** The account that asks; undefined for who has the token. */
export const ownFid = (): number | undefined => caller.fid

/** Whether the front door serves the page: there the token of the operator opens nothing. */
export const isFrontDoor = location.pathname === '/room'

export const ask = async <T>(path: string, call: Call = {}): Promise<T> =>
  fetchJson<T>(caller.prefix + path, { ...call, token: await caller.token() })

/** From now on the page asks in the name of the account of this browser. Throws unless it is an operator. */
export async function enterAsAccount(): Promise<void> {
  const { findOwnKey, tokenOf } = await import('./own-key.ts')
  const key = await findOwnKey()
  if (!key) throw new Error(t('This browser has no key of an account: sign in first.'))
  caller = { prefix: '/platform/v1', token: () => tokenOf(key), fid: key.fid }
  const { result } = await ask<{ result: { role: string | null } }>('/own-standing')
  if (result.role !== 'operator') throw new Error(t('This is for accounts with the role operator.'))
}

const UPLOAD_TIMEOUT_MS = 120_000

/** Sends the bytes of a file. */
export async function putFile(path: string, file: Blob): Promise<void> {
  const token = await caller.token()
  const response = await fetch(caller.prefix + path, {
    method: 'PUT',
    headers: {
      'content-type': 'application/octet-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: file,
    signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
  })
  if (response.ok) return
  const requestId = response.headers.get('x-request-id')
  const answer = await response.json().catch(() => undefined)
  throw refusalOf({ status: response.status, requestId }, answer)
}

export type Health = {
  readonly status: 'ok' | 'unavailable'
  /** At the front door there is only the status. */
  readonly checks?: Readonly<Record<string, string>>
  readonly details?: Readonly<Record<string, unknown>>
}

/** 503 is an answer too: it names what fails. */
export async function getHealth(): Promise<Health> {
  const response = await fetch('/health/ready', { cache: 'no-store' })
  const answer = await response.json()
  if (response.ok || response.status === 503) return answer
  throw new Refusal(response.status, t('The server answered {status}', { status: response.status }))
}

/** The text of the metrics. Throws a Refusal without a valid token. */
export async function getMetrics(): Promise<string> {
  const token = await caller.token()
  const response = await fetch(`${caller.prefix}/metrics`, {
    cache: 'no-store',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  }).catch((cause) => {
    throw new Unreachable(cause)
  })
  if (response.ok) return response.text()
  const requestId = response.headers.get('x-request-id') ?? undefined
  throw new Refusal(
    response.status,
    t('The server answered {status}', { status: response.status }),
    { requestId },
  )
}

export const isWrongToken = (error: unknown): boolean =>
  error instanceof Refusal && error.status === 401

export type Report = {
  readonly id: number
  readonly reporterFid: number
  readonly fid: number
  readonly castHash: string | null
  readonly miniAppDomain: string | null
  readonly reason: string
  readonly createdAt: number
}
/** Open reports about one thing. */
export type Case = {
  readonly id: number
  readonly castText: string | null
  readonly reports: readonly Report[]
}
export type MiniApp = {
  readonly domain: string
  readonly name: string
  /** Left out when nobody has signed the domain. */
  readonly authorFid?: number
  readonly state: 'listed' | 'faulty' | 'removed'
  readonly people: number
  readonly openers: number
  readonly lookedAt: number
  readonly faults: readonly {
    readonly severity: 'error' | 'warning'
    readonly path?: string
    readonly message: string
    readonly fix: string
  }[]
}
export type LogEntry = {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly fid: number | null
  readonly castHash: string | null
  readonly name: string | null
  readonly reason: string
  /** Of the account that it is about, and of the one that decided. */
  readonly username?: string
  readonly actorUsername?: string
}
export type Invite = {
  readonly id: string
  readonly label: string
  readonly role: 'moderator' | 'operator' | null
  readonly uses: number
  readonly usesLeft: number
  readonly expiresAt: number
}
export type KeyRequest = {
  readonly key: string
  readonly requestFid: number
  readonly userFid?: number
  readonly reason?: string
  readonly createdAt: number
}
export type Webhook = {
  readonly id: string
  readonly title: string
  readonly targetUrl: string
  readonly active: boolean
  readonly waiting: number
  readonly fault?: string
}
export type Recoveries = {
  readonly waitDays: number | null
  readonly requests: readonly {
    readonly receiver: string
    readonly fid: number
    readonly username?: string
    readonly lastSeenAt?: number
    readonly note: string
    readonly askedAt: number
    readonly movesAt: number | null
  }[]
}
export type BadgeSet = { readonly computedAt: number; readonly count: number }
export type ServerError = {
  readonly at: number
  readonly what: string
  readonly message: string
  readonly where?: string
  readonly requestId?: string
}
export type Person = {
  readonly fid: number
  readonly name?: string
  readonly displayName?: string
  readonly pictureUrl?: string
  readonly custody?: string
  readonly joinedAt?: number
  readonly lastSeenAt?: number
  readonly units: number
  readonly messages: number
  readonly posts: number
  readonly openReports: number
  readonly resolvedReports: number
  readonly isSuspended: boolean
  readonly isLimited: boolean
  readonly role?: 'moderator' | 'operator'
  readonly isErased: boolean
}
/** How an account stands with the moderators. */
export type Standing = { readonly suspended: boolean; readonly limited: boolean }
export type People = {
  readonly result: { readonly people: readonly Person[] }
  readonly next?: { readonly cursor: string }
}
/** Numbers over time: a point for each time, null where there was none. */
export type Curves = {
  readonly at: readonly number[]
  readonly series: Readonly<Record<string, readonly (number | null)[]>>
}
export type ServerFacts = {
  readonly version: string
  readonly node: string
  readonly mode: string
  readonly network: string
  readonly engine: string
  readonly schema: number
  readonly startedAt: number
  readonly settings: readonly {
    readonly variable: string
    readonly group: string
    readonly what: string
    readonly source: 'room' | 'environment' | 'default' | 'unset'
    readonly value?: string
    readonly isSecret: boolean
  }[]
}
export type Jobs = {
  readonly isLeader: boolean
  readonly jobs: readonly {
    readonly name: string
    readonly scope: 'leader' | 'process'
    readonly everySeconds: number
    readonly isRunning: boolean
    readonly lastAt?: number
    readonly lastSeconds?: number
    readonly lastOutcome?: 'succeeded' | 'failed' | 'aborted'
  }[]
}
export type App = {
  readonly uuid: string
  readonly name: string
  readonly fid: number
  readonly createdAt: number
  readonly keys: readonly {
    readonly id: string
    readonly createdAt: number
    readonly revokedAt?: number
  }[]
}
export type LostFiles = {
  readonly files: number
  readonly looked: number
  readonly lost: readonly {
    readonly path: string
    readonly bytes: number
    readonly found: number
    readonly fids: readonly number[]
  }[]
  readonly next: string | null
}
export type Backups = {
  readonly isConfigured: boolean
  readonly isRunning: boolean
  readonly advice?: string
  readonly settings?: { directory: string; intervalHours: number; keep: number }
  readonly lastFailure?: string
  readonly backups: readonly {
    readonly name: string
    readonly startedAt: number
    readonly seconds: number
    readonly bytes: number
    readonly verified: string
    readonly found?: {
      readonly messages: number
      readonly events: number
      readonly accounts: number
      readonly keep: readonly string[]
      readonly faults: readonly string[]
    }
  }[]
}
