import { hexOf, utf8Of } from '../../shared/bytes.ts'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import type { Connection } from '../../wallets/provider.ts'
import { signTypedData } from '../../wallets/sign.ts'
import { getInfo, getStruct, networkNow, typedDataOf } from '../act/network.ts'
import type { PasskeyAnswer } from './passkey.ts'
import type { Copy, NewCopy } from './seal.ts'

// The sealed copies on the server, and other requests that only the owner of an account makes.

const BASE = '/accounts/v1/sealed-keys'
const DEADLINE_SECONDS = 600
const ACCOUNT_DATA_TYPES = {
  AccountDataRequest: [
    { name: 'action', type: 'string' },
    { name: 'fid', type: 'uint256' },
    { name: 'network', type: 'string' },
    { name: 'deadline', type: 'uint256' },
  ],
}

/** A copy as the server tells it. */
export type StoredCopy = Copy & {
  readonly id: string
  readonly fid: number
  readonly createdAt: number
  readonly usedAt: number | null
}

const post = <T>(path: string, body: object): Promise<T> =>
  fetchJson<T>(path, { method: 'POST', body })

/** The fields with which the owner of an account asks for something. */
export async function ownerRequest(connection: Connection, fid: number, action: string) {
  const { domain } = await getStruct('Transfer')
  const deadline = (await networkNow()) + DEADLINE_SECONDS
  const struct = { domain: { ...domain, name: 'Rookery Account Data' }, types: ACCOUNT_DATA_TYPES }
  const { network } = await getInfo()
  const message = { action, fid, network, deadline }
  const signature = await signTypedData(connection, typedDataOf(struct, message))
  return { fid, deadline, signature }
}

export async function keepOnServer(connection: Connection, fid: number, copy: NewCopy) {
  const { kind, credential = '', site = '', salt, proof, sealed } = copy
  const text = [kind, credential, site, salt, proof, sealed].join('|')
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(utf8Of(text)))
  const action = `keep sealed key ${hexOf(new Uint8Array(digest))}`
  await post(BASE, { ...(await ownerRequest(connection, fid, action)), copy })
}

export async function listOnServer(connection: Connection, fid: number): Promise<StoredCopy[]> {
  const signed = await ownerRequest(connection, fid, 'list sealed keys')
  return (await post<{ keys: StoredCopy[] }>(`${BASE}/list`, signed)).keys
}

export async function removeFromServer(connection: Connection, fid: number, id: string) {
  const signed = await ownerRequest(connection, fid, `remove sealed key ${id}`)
  await post(`${BASE}/remove`, { ...signed, id })
}

export const saltOnServer = async (fid: number): Promise<string> =>
  (await fetchJson<{ salt: string }>(`${BASE}/salt`, { query: { fid } })).salt

export const openOnServer = (fid: number, proof: Uint8Array): Promise<StoredCopy> =>
  post(`${BASE}/password`, { fid, proof: hexOf(proof) })

export const newChallenge = async (): Promise<string> =>
  (await post<{ challenge: string }>(`${BASE}/challenge`, {})).challenge

export const openByPasskey = ({ secret: _, ...answer }: PasskeyAnswer): Promise<StoredCopy> =>
  post(`${BASE}/passkey`, answer)

/** The account that has a name; also by its number. */
export async function fidOfName(text: string): Promise<number> {
  const name = text.trim().replace(/^@/, '').toLowerCase()
  const number = Number(name.replace(/^!/, ''))
  if (Number.isSafeInteger(number) && number > 0) return number
  const { transfers } = await fetchJson<{ transfers: { to: number }[] }>(
    '/registry/transfers/current',
    { query: { name } },
  ).catch((error) => {
    if (error.status === 404 || error.status === 400) return { transfers: [] }
    throw error
  })
  const fid = transfers[0]?.to
  if (!fid) throw new Error(t('Nobody here is called {name}.', { name }))
  return fid
}
