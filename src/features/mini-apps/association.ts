import { hashMessage } from 'viem/utils'
import { type Accounts, KEY_STATES } from '../../kernel/accounts/port.ts'
import type { VerifySignature } from '../../kernel/accounts/signatures/signature.ts'
import {
  concatBytes,
  equalBytes,
  fromBase64,
  fromHex,
  fromUtf8,
} from '../../kernel/protocol/codec/bytes.ts'
import type { Fault, FaultCode } from './faults.ts'

// The account association of a manifest: a JSON Farcaster Signature of an account over the domain.

export type AssociationTerms = {
  readonly accounts: Pick<Accounts, 'custodyOf' | 'keyData'>
  readonly verify: VerifySignature
  /** Whether an address is a verified address of the account now. */
  readonly isVerified: (fid: number, address: Uint8Array) => Promise<boolean>
  readonly isHidden: (fid: number) => Promise<boolean>
}

/** The author of a domain, or why there is none. */
export type Association = { readonly fid: number } | { readonly fault: Fault }

type Signed = {
  readonly fid: number
  readonly type: 'custody' | 'auth'
  readonly address: Uint8Array
  readonly domain: unknown
  readonly text: string
  readonly signature: Uint8Array
}

/** The type of a key that is an address which may sign in for its fid. */
const AUTH_KEY_TYPE = 2
const ADDRESS_PADDING = new Uint8Array(12)
const MAX_PART_CHARACTERS = 8_192

/** Who has signed the domain, by the `accountAssociation` of a manifest. */
export async function readAssociation(
  value: unknown,
  domain: string,
  terms: AssociationTerms,
): Promise<Association> {
  const signed = readSigned(value)
  if ('fault' in signed) return signed
  if (signed.domain !== domain) {
    const named = JSON.stringify(signed.domain) ?? 'nothing'
    return refused('domain_mismatch', `names ${named.slice(0, 100)}, not "${domain}"`)
  }
  if (!(await mayAssociate(signed, terms))) {
    const whose = signed.type === 'custody' ? 'the custody address' : 'an auth address'
    return refused('not_owner', `names an address that is not ${whose} of fid ${signed.fid}`)
  }
  const digest = fromHex(hashMessage(signed.text))!
  if (!(await terms.verify(signed.address, digest, signed.signature))) {
    return refused('bad_signature', 'has a signature that is not that of the key in its header')
  }
  if (await terms.isHidden(signed.fid)) {
    return refused('author_hidden', `is signed by fid ${signed.fid}, whom this server has hidden`)
  }
  return { fid: signed.fid }
}

async function mayAssociate({ fid, type, address }: Signed, terms: AssociationTerms) {
  const account = await terms.accounts.custodyOf(fid)
  if (!account) return false
  if (equalBytes(account.address, address)) return true
  if (type === 'custody') return false
  const { state, keyType } = await terms.accounts.keyData(
    fid,
    concatBytes(ADDRESS_PADDING, address),
  )
  const isAuthAddress = state === KEY_STATES.added && keyType === AUTH_KEY_TYPE
  return isAuthAddress || terms.isVerified(fid, address)
}

function readSigned(value: unknown): Signed | { readonly fault: Fault } {
  const parts = value as Partial<Record<'header' | 'payload' | 'signature', unknown>> | null
  if (value === undefined || value === null) return refused('unsigned', 'is missing')
  const [header, payload, signature] = [parts?.header, parts?.payload, parts?.signature]
  if (![header, payload, signature].every(isPart)) {
    return refused('unsigned', 'must have the texts header, payload and signature')
  }
  const head = objectIn(header as string)
  const { fid, type, key } = head ?? {}
  const address = typeof key === 'string' ? fromHex(key) : undefined
  const isKnownType = type === 'custody' || type === 'auth'
  if (!isFid(fid) || !isKnownType || address?.length !== 20) {
    const what = 'has a header that does not name fid, type (custody or auth) and key (an address)'
    return refused('bad_signature', what)
  }
  const bytes = signatureIn(signature as string)
  if (!bytes) return refused('bad_signature', 'has a signature that is not base64url')
  const domain = objectIn(payload as string)?.domain
  return { fid, type, address, domain, text: `${header}.${payload}`, signature: bytes }
}

const isPart = (part: unknown) =>
  typeof part === 'string' && part !== '' && part.length <= MAX_PART_CHARACTERS

const isFid = (fid: unknown): fid is number =>
  Number.isInteger(fid) && (fid as number) > 0 && (fid as number) < 2 ** 32

function objectIn(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(fromUtf8(fromBase64(part)!) ?? '')
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Tools write the bytes of a signature, or its text in hex. */
function signatureIn(part: string): Uint8Array | undefined {
  const bytes = fromBase64(part)
  const text = bytes && fromUtf8(bytes)
  return text && /^0x(?:[0-9a-f]{2})+$/i.test(text) ? fromHex(text) : bytes
}

const FIXES = {
  unsigned:
    'Sign the domain with the custody address of your account, and add the result as accountAssociation.',
  domain_mismatch: 'Sign again for exactly this domain; www. is another one.',
  bad_signature: 'Sign again; copy header, payload and signature unchanged.',
  not_owner: 'Sign again with the address that holds the account now.',
  author_hidden: 'Ask the operator of this server.',
} as const satisfies Partial<Record<FaultCode, string>>

const refused = (code: keyof typeof FIXES, message: string): { fault: Fault } => ({
  fault: { severity: 'error', code, path: 'accountAssociation', message, fix: FIXES[code] },
})
