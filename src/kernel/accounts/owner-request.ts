import Type from 'typebox'
import { fromHex } from '../protocol/codec/bytes.ts'
import type { TypedDataDomain } from '../protocol/crypto/account-domains.ts'
import {
  type AccountDataRequest,
  accountDataTypedData,
  typedDataDigest,
} from '../protocol/crypto/eip712.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MAX_FID } from '../protocol/sizes.ts'
import { DAY_SECONDS } from '../protocol/time.ts'
import type { Account } from './port.ts'
import type { VerifySignature } from './signatures/signature.ts'

// Requests that only the custody address of an account may make, about what the server keeps of it.

export type OwnerTerms = {
  readonly accounts: {
    readonly custodyOf: (fid: number) => Promise<Pick<Account, 'address'> | undefined>
  }
  readonly verify: VerifySignature
  /** Names the accounts' chain and contract. */
  readonly domain: TypedDataDomain
  /** mainnet, testnet or devnet. */
  readonly network: string
  readonly now: () => number
}

/** How far ahead the deadline of a request may be: longer ones could be replayed for too long. */
const MAX_DEADLINE_SECONDS = DAY_SECONDS
const MAX_SIGNATURE_BYTES = 1_024

/** The fields of the body that say who asks, and until when. */
export const OWNER_FIELDS = {
  fid: Type.Integer({ minimum: 1, maximum: MAX_FID, description: 'The account.' }),
  deadline: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Unix seconds, at most a day ahead.',
  }),
  signature: Type.String({
    pattern: `^0x([0-9a-fA-F]{2}){0,${MAX_SIGNATURE_BYTES}}$`,
    description:
      'By the custody address, over the EIP-712 struct AccountDataRequest(string action,uint256 ' +
      'fid,string network,uint256 deadline) in the domain `Rookery Account Data`, version 1, with ' +
      'the chain id and verifying contract of the IdRegistry domain.',
  }),
}

/** Throws unless the custody address of the account has signed this action. Returns that address. */
export async function checkOwner(
  { action, fid, deadline }: Omit<AccountDataRequest, 'network'>,
  signature: string,
  { accounts, verify, domain, network, now }: OwnerTerms,
): Promise<Uint8Array> {
  if (deadline < now()) {
    throw new Rejection('SignatureExpired', 'the deadline has passed', { field: 'deadline' })
  }
  if (deadline > now() + MAX_DEADLINE_SECONDS) {
    const text = `the deadline must be at most ${MAX_DEADLINE_SECONDS} seconds ahead`
    throw new Rejection('bad_request.validation_failure', text, { field: 'deadline' })
  }
  const custody = await accounts.custodyOf(fid)
  if (!custody) throw new Rejection('HasNoId', `fid ${fid} is not registered`, { field: 'fid' })
  const request = accountDataTypedData({ action, fid, network, deadline }, domain)
  if (await verify(custody.address, typedDataDigest(request), fromHex(signature)!)) {
    return custody.address
  }
  const text = `not the custody address's signature of the request "${action}"`
  throw new Rejection('InvalidSignature', text, { field: 'signature' })
}
