import { DEPLOYED_CONTRACTS } from '../../../../src/kernel/protocol/crypto/account-domains.ts'
import * as STRUCTS from '../../../../src/kernel/protocol/crypto/account-structs.ts'
import { bytesOf } from '../../../shared/bytes.ts'

// What a wallet is never asked to do for a mini app, because the same wallet owns the account: a signature that moves the
// account, adds a key, claims a name or is a token of the owner. On every chain, because such signatures can be replayed.

/** Every struct that this network knows; one that is added there is refused here. */
const OWN_STRUCTS = new Set(Object.values(STRUCTS).flatMap((types) => Object.keys(types)))
/** Who wants to sign in, in the first line of a message of EIP-4361. */
const SIWE = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(\S+) wants you to sign in with your Ethereum account:/i
/** A JSON Farcaster Signature without its last part. */
const JFS = /^\s*[A-Za-z0-9_-]+=*\.[A-Za-z0-9_-]+=*\s*$/

export type RefusalTerms = {
  /** The domain of the app. */
  readonly domain: string
  /** Contracts of the accounts and names of this server, besides the deployed ones. */
  readonly contracts: readonly string[]
}

type Params = readonly unknown[]
type Rule = (params: Params, terms: RefusalTerms) => string | undefined

const RULES: Readonly<Record<string, Rule>> = {
  eth_signTypedData_v4: ([, data], terms) => typedDataRefusal(data, terms),
  personal_sign: (params, terms) => first(params.map((one) => textRefusal(textOf(one), terms))),
  eth_sendTransaction: ([transaction], terms) => transactionRefusal(transaction, terms),
  wallet_sendCalls: ([batch], terms) => {
    const { calls, authorizationList } = (batch ?? {}) as Record<string, unknown>
    if (!Array.isArray(calls)) return 'it has no list of calls'
    return first([
      transactionRefusal({ authorizationList, to: null }, terms),
      ...calls.map((one) => transactionRefusal(one, terms)),
    ])
  },
}

/** Why a request is refused without asking anybody, for who wrote the app; undefined when the user may decide. */
export const refusalOf = (
  method: string,
  params: Params,
  terms: RefusalTerms,
): string | undefined => (Object.hasOwn(RULES, method) ? RULES[method]!(params, terms) : undefined)

const first = (refusals: readonly (string | undefined)[]) =>
  refusals.find((one) => one !== undefined)

const ownContracts = ({ contracts }: RefusalTerms): Set<string> =>
  new Set([...Object.values(DEPLOYED_CONTRACTS), ...contracts].map((one) => one.toLowerCase()))

function typedDataRefusal(data: unknown, terms: RefusalTerms): string | undefined {
  const { domain, primaryType } = readTypedData(data) ?? {}
  if (!domain || typeof primaryType !== 'string') return 'it is no typed data of EIP-712'
  if (OWN_STRUCTS.has(primaryType)) {
    return `${primaryType} is a signature about Farcaster accounts, which no app may ask for`
  }
  const contract = String(domain.verifyingContract ?? '').toLowerCase()
  if (ownContracts(terms).has(contract)) return 'it is for a contract of Farcaster accounts'
  return undefined
}

type TypedDataParts = {
  readonly domain?: Readonly<Record<string, unknown>>
  readonly primaryType?: unknown
}

/** Wallets take text and objects. */
export function readTypedData(data: unknown): TypedDataParts | undefined {
  try {
    const read = typeof data === 'string' ? JSON.parse(data) : data
    return typeof read === 'object' && read !== null ? read : undefined
  } catch {
    return undefined
  }
}

const HEX = /^0x(?:[0-9a-f]{2})*$/i

/** What personal_sign signs: text, or text as hex. */
export const textOf = (value: unknown): string => {
  const text = String(value)
  return HEX.test(text) ? new TextDecoder().decode(bytesOf(text)) : text
}

function textRefusal(text: string, { domain }: RefusalTerms): string | undefined {
  if (JFS.test(text)) return 'it is a token or a proof of the owner of the account'
  const asking = SIWE.exec(text.trimStart())?.[1]
  return asking !== undefined && asking.toLowerCase() !== domain
    ? `it is a sign-in at ${asking.slice(0, 80)}, which is not this app`
    : undefined
}

function transactionRefusal(transaction: unknown, terms: RefusalTerms): string | undefined {
  if (typeof transaction !== 'object' || transaction === null) return 'it is no transaction'
  const { to, authorizationList } = transaction as Record<string, unknown>
  // EIP-7702: code of the app would act as the account.
  if (authorizationList) return 'it lets other code act as your account'
  return typeof to === 'string' && ownContracts(terms).has(to.toLowerCase())
    ? 'it calls a contract of Farcaster accounts'
    : undefined
}
