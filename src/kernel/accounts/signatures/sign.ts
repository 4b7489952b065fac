import type { LocalAccount } from 'viem'
import { fromHex, toHex } from '../../protocol/codec/bytes.ts'
import { type AccountDomains, accountDomains } from '../../protocol/crypto/account-domains.ts'
import { signedKeyRequestTypedData, type TypedData } from '../../protocol/crypto/eip712.ts'
import { encodeSignedKeyRequestMetadata } from '../../protocol/crypto/key-request-metadata.ts'
import { signTypedData } from '../../protocol/crypto/sign-typed-data.ts'
import type {
  AddFor,
  ChangeRecoveryAddressFor,
  RecoverFor,
  RegisterFor,
  RemoveFor,
  TransferAndChangeRecoveryFor,
  TransferFor,
} from '../port.ts'
import {
  addTypedData,
  changeRecoveryAddressTypedData,
  registerTypedData,
  removeTypedData,
  transferAndChangeRecoveryTypedData,
  transferTypedData,
} from './typed-data.ts'

// Signs the account calls, for the command line, the development network and tests. Each function returns the
// complete call; `callJson` writes it as a request body.

/** The nonce is 0 for an address that has signed nothing for that contract. */
type Terms = { deadline: bigint; nonce?: number; domains?: AccountDomains }
/** For a call with two signatures. */
type TermsOfTwo = Omit<Terms, 'nonce'> & { toNonce?: number }
type TermsOfBothSides = TermsOfTwo & { fromNonce?: number }
type Bytes = Uint8Array

const NO_ADDRESS = new Uint8Array(20)

export async function signRegister(
  account: LocalAccount,
  {
    recovery = NO_ADDRESS,
    extraStorage = 0,
    ...terms
  }: Terms & Partial<Pick<RegisterFor, 'recovery' | 'extraStorage'>>,
): Promise<RegisterFor> {
  const { deadline, nonce, domains } = complete(terms)
  const to = addressOf(account)
  const signature = await sign(
    account,
    registerTypedData(domains, { to, recovery, nonce, deadline }),
  )
  return { to, recovery, extraStorage, deadline, signature }
}

export async function signAdd(
  account: LocalAccount,
  {
    keyType = 1,
    key,
    metadataType = 1,
    metadata,
    ...terms
  }: Terms & Pick<AddFor, 'key' | 'metadata'> & Partial<Pick<AddFor, 'keyType' | 'metadataType'>>,
): Promise<AddFor> {
  const { deadline, nonce, domains } = complete(terms)
  const add = { owner: addressOf(account), keyType, key, metadataType, metadata, deadline }
  return { ...add, signature: await sign(account, addTypedData(domains, { ...add, nonce })) }
}

export async function signRemove(
  account: LocalAccount,
  { key, ...terms }: Terms & Pick<RemoveFor, 'key'>,
): Promise<RemoveFor> {
  const { deadline, nonce, domains } = complete(terms)
  const remove = { owner: addressOf(account), key, deadline }
  return {
    ...remove,
    signature: await sign(account, removeTypedData(domains, { ...remove, nonce })),
  }
}

export async function signChangeRecovery(
  account: LocalAccount,
  { fid, from, to, ...terms }: Terms & { fid: number; from: Bytes; to: Bytes },
): Promise<ChangeRecoveryAddressFor> {
  const { deadline, nonce, domains } = complete(terms)
  const typedData = changeRecoveryAddressTypedData(domains, { fid, from, to, nonce, deadline })
  const signature = await sign(account, typedData)
  return { owner: addressOf(account), recovery: to, deadline, signature }
}

export async function signTransfer(
  from: LocalAccount,
  to: LocalAccount,
  { fid, ...terms }: TermsOfBothSides & { fid: number },
): Promise<TransferFor> {
  const moved = { fid, to: addressOf(to) }
  return signBothSides(from, to, terms, (domains, by) =>
    transferTypedData(domains, { ...moved, ...by }),
  )
}

export async function signTransferAndChangeRecovery(
  from: LocalAccount,
  to: LocalAccount,
  { fid, recovery, ...terms }: TermsOfBothSides & { fid: number; recovery: Bytes },
): Promise<TransferAndChangeRecoveryFor> {
  const moved = { fid, to: addressOf(to), recovery }
  const signed = await signBothSides(from, to, terms, (domains, by) =>
    transferAndChangeRecoveryTypedData(domains, { ...moved, ...by }),
  )
  return { ...signed, recovery }
}

async function signBothSides(
  from: LocalAccount,
  to: LocalAccount,
  { fromNonce = 0, toNonce = 0, ...terms }: TermsOfBothSides,
  typedDataOf: (domains: AccountDomains, by: { nonce: number; deadline: bigint }) => TypedData,
): Promise<TransferFor> {
  const { deadline, domains } = complete(terms)
  const by = (account: LocalAccount, nonce: number) =>
    sign(account, typedDataOf(domains, { nonce, deadline }))
  return {
    from: addressOf(from),
    to: addressOf(to),
    fromDeadline: deadline,
    fromSignature: await by(from, fromNonce),
    toDeadline: deadline,
    toSignature: await by(to, toNonce),
  }
}

/** When the recovery address itself receives the fid, `toNonce` is one more than `recoveryNonce`. */
export async function signRecover(
  recovery: LocalAccount,
  to: LocalAccount,
  {
    fid,
    from,
    recoveryNonce = 0,
    toNonce = 0,
    ...terms
  }: TermsOfTwo & {
    fid: number
    from: Bytes
    recoveryNonce?: number
  },
): Promise<RecoverFor> {
  const { deadline, domains } = complete(terms)
  const moved = { fid, to: addressOf(to), deadline }
  const by = (account: LocalAccount, nonce: number) =>
    sign(account, transferTypedData(domains, { ...moved, nonce }))
  return {
    from,
    to: moved.to,
    recoveryDeadline: deadline,
    recoverySignature: await by(recovery, recoveryNonce),
    toDeadline: deadline,
    toSignature: await by(to, toNonce),
  }
}

/** The metadata with which an app requests a key: any user may add the key with them until the deadline. */
export async function signedKeyRequestMetadata(
  app: LocalAccount,
  {
    requestFid,
    key,
    deadline,
    domains = accountDomains(),
  }: {
    requestFid: number
    key: Bytes
    deadline: bigint
    domains?: AccountDomains
  },
): Promise<Uint8Array> {
  const domain = domains.signedKeyRequestValidator
  const signature = await sign(
    app,
    signedKeyRequestTypedData({ requestFid, key, deadline }, domain),
  )
  const requestSigner = addressOf(app)
  return encodeSignedKeyRequestMetadata({
    requestFid: BigInt(requestFid),
    requestSigner,
    signature,
    deadline,
  })
}

/** A call as a request body: bytes in 0x hex, 256-bit numbers in digits. */
export function callJson(call: object): Record<string, unknown> {
  return jsonOf(call) as Record<string, unknown>
}

function jsonOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value) || '0x'
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, jsonOf(part)]))
}

export const addressOf = (account: LocalAccount): Uint8Array => fromHex(account.address)!

async function sign(account: LocalAccount, typedData: TypedData): Promise<Uint8Array> {
  return fromHex(await signTypedData(account, typedData))!
}

const complete = ({ deadline, nonce = 0, domains = accountDomains() }: Terms) => ({
  deadline,
  nonce,
  domains,
})
