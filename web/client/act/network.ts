import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import type { TypedData } from '../../types.ts'

// What a browser has to know of the network before it signs: its number, its time, and what wallets sign.

type Info = {
  readonly network: keyof typeof NETWORKS
  readonly accounts: { readonly source: 'ledger' | 'chain'; readonly chainId: number }
  /** Missing where accounts are kept by contracts. */
  readonly signup?: 'open' | 'invite' | 'approval' | 'closed'
}

/** A struct that wallets sign: its domain and its fields. */
export type Struct = Pick<TypedData, 'domain' | 'types'>

const NETWORKS = { mainnet: 1, testnet: 2, devnet: 3 } as const

const INFO = '/accounts/v1/info'

export const getInfo = (): Promise<Info> => once(INFO)

/** The same, asked anew: who may join changes while a page is open. */
export const askInfo = (): Promise<Info> => fetchJson(INFO)

export const networkNumber = async (): Promise<number> => NETWORKS[(await getInfo()).network]

export async function getStruct(name: string): Promise<Struct> {
  const path = name === 'UserNameProof' ? '/registry/domains' : '/accounts/v1/domains'
  const { structs } = await once<{ structs: Record<string, Struct> }>(path)
  const struct = structs[name]
  if (!struct) throw new Error(t('This server does not say how {name} is signed.', { name }))
  return struct
}

const answers = new Map<string, Promise<unknown>>()

/** The answer to a question whose answer does not change while the page is open. */
function once<T>(path: string): Promise<T> {
  const asked = answers.get(path) ?? fetchJson<T>(path)
  answers.set(path, asked)
  asked.catch(() => answers.delete(path))
  return asked as Promise<T>
}

/** The time of the network in Unix seconds; that of this machine where the network does not tell. */
export async function networkNow(): Promise<number> {
  const told = await fetchJson<{ currentTime: number }>('/registry/current-time').catch(
    () => undefined,
  )
  return told?.currentTime ?? Math.floor(Date.now() / 1_000)
}

const DOMAIN_FIELDS = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
} as const

/** The struct in the form for wallets: with the struct of the domain among the types. */
export function typedDataOf(struct: Struct, message: Record<string, string | number>): TypedData {
  const primaryType = Object.keys(struct.types)[0]!
  const fields = Object.entries(DOMAIN_FIELDS)
    .filter(([name]) => name in struct.domain)
    .map(([name, type]) => ({ name, type }))
  return {
    domain: struct.domain,
    types: { EIP712Domain: fields, ...struct.types },
    primaryType,
    message: message as TypedData['message'],
  }
}
