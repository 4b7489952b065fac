import type { Approval, KeyRequest, Person, Signer, Transaction, TypedData } from '../types.ts'

// What the pages ask of the interface that served them. Paths are relative to the page, which lies one
// level below the interface: it may stand under any path of a proxy.

/** The server refused the request. */
export class Refusal extends Error {
  readonly status: number
  /** The error code. */
  readonly reason: string | undefined

  constructor(status: number, message: string, reason?: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.reason = reason
  }
}

/** Timeout after which the page reports that there is no answer. */
const TIMEOUT_MS = 20_000

type Call = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  query?: Readonly<Record<string, string | number | undefined>>
  body?: object
  token?: string
}

const call = async <T>(path: string, options: Call = {}): Promise<T> =>
  (await fetchJson<{ result: T }>(path, options)).result

async function fetchJson<T>(path: string, { method, query, body, token }: Call = {}): Promise<T> {
  const response = await answerOf(urlOf(path, query), {
    method: method ?? 'GET',
    cache: 'no-store',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer
  const { message, reason } = answer?.errors?.[0] ?? {}
  throw new Refusal(response.status, message ?? `The server answered ${response.status}`, reason)
}

const answerOf = (url: string, request: RequestInit): Promise<Response> =>
  fetch(url, request).catch((cause) => {
    throw new Error('The server cannot be reached. Check your connection and try again.', { cause })
  })

function urlOf(path: string, query: Call['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `../${path}${text && `?${text}`}`
}

export const getRequest = async (token: string): Promise<KeyRequest> =>
  (await call<{ signedKeyRequest: KeyRequest }>('v2/signed-key-request', { query: { token } }))
    .signedKeyRequest

/** The event stream of a request's changes. */
export const requestEventsUrl = (token: string): string =>
  urlOf('v2/signed-key-request-events', { token })

export const getApproval = async (token: string, address?: string): Promise<Approval> =>
  (
    await call<{ approval: Approval }>('v2/signed-key-request-approval', {
      query: { token, address },
    })
  ).approval

/** Submits the user's signature. Returns a transaction when the user has to send it. */
export const sendApproval = async (approval: {
  token: string
  deadline: number
  signature: string
  userFid: number
}): Promise<{ signedKeyRequest: KeyRequest; transaction?: Transaction }> =>
  call('v2/approve-signed-key-requests', { method: 'PUT', body: approval })

export const sendDenial = async (token: string, custodyToken: string): Promise<unknown> =>
  call('v2/deny-signed-key-request', { method: 'PUT', body: { token }, token: custodyToken })

export type Account = { readonly fid: number } | { readonly address: string }
export type SignerPage = {
  readonly user: Person
  readonly signers: readonly Signer[]
  readonly cursor: string | undefined
}

export async function getSigners(account: Account, cursor?: string): Promise<SignerPage> {
  const { result, next } = await fetchJson<{
    result: { user: Person; signers: Signer[] }
    next?: { cursor: string }
  }>('v2/signers', { query: { ...account, cursor } })
  return { ...result, cursor: next?.cursor }
}

export const getRemoval = async (fid: number, key: string): Promise<TypedData> =>
  (await call<{ typedData: TypedData }>('v2/signer-removal', { query: { fid, key } })).typedData

export const sendRemoval = async (removal: {
  fid: number
  key: string
  deadline: number
  signature: string
}): Promise<{ transaction?: Transaction }> =>
  call('v2/signers', { method: 'DELETE', body: removal })

export type DevelopmentAccount = {
  readonly fid: number
  readonly name: string
  readonly custodyAddress: string
}

/** The public development accounts; none outside of a development network. */
export const getDevelopmentAccounts = async (): Promise<readonly DevelopmentAccount[]> =>
  fetchJson<{ accounts: DevelopmentAccount[] }>('dev/accounts').then(
    ({ accounts }) => accounts,
    () => [],
  )

/** Calls the wallet of the development accounts. */
export const askDevelopmentWallet = async (method: string, params: unknown): Promise<unknown> => {
  const { result, error } = await fetchJson<{ result?: unknown; error?: object }>('dev/wallet', {
    method: 'POST',
    body: { method, params },
  })
  if (error) throw error
  return result
}
