import type { Approval, KeyRequest, Person, Signer, Transaction, TypedData } from '../types.ts'
import { type Call, fetchJson, queryText } from './request.ts'

// What the pages ask of the client platform. Its own pages lie one level below it, and it may stand under any path of a proxy;
// the web client asks through the front door.
const BASE = location.pathname.includes('/~/') ? '../' : '/platform/'

const call = async <T>(path: string, options: Call = {}): Promise<T> =>
  (await ask<{ result: T }>(path, options)).result

const ask = <T>(path: string, options?: Call): Promise<T> => fetchJson<T>(BASE + path, options)

export const getRequest = async (token: string): Promise<KeyRequest> =>
  (await call<{ signedKeyRequest: KeyRequest }>('v2/signed-key-request', { query: { token } }))
    .signedKeyRequest

/** The event stream of a request's changes. */
export const requestEventsUrl = (token: string): string =>
  `${BASE}v2/signed-key-request-events${queryText({ token })}`

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
  const { result, next } = await ask<{
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
  ask<{ accounts: DevelopmentAccount[] }>('dev/accounts').then(
    ({ accounts }) => accounts,
    () => [],
  )

/** Calls the wallet of the development accounts. */
export const askDevelopmentWallet = async (method: string, params: unknown): Promise<unknown> => {
  const { result, error } = await ask<{ result?: unknown; error?: object }>('dev/wallet', {
    method: 'POST',
    body: { method, params },
  })
  if (error) throw error
  return result
}
