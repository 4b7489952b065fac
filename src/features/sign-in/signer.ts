import { hashMessage } from 'viem/utils'
import { type Accounts, KEY_STATES } from '../../kernel/accounts/port.ts'
import type { VerifySignature } from '../../kernel/accounts/signatures/signature.ts'
import { concatBytes, fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { SignInMessage } from './message.ts'
import type { SignedIn } from './tables/sign-in.ts'

export type SignerTerms = {
  readonly accounts: Accounts
  /** Verifies addresses, contract wallets included. */
  readonly verify: VerifySignature
}

/** The type of a key that is an address which may sign in for its fid, and do nothing else. */
const AUTH_KEY_TYPE = 2
const ADDRESS_PADDING = new Uint8Array(12)

/** Throws unless the signature is that of the address in the message, and the address may sign in for its fid. */
export async function checkSigned(
  { accounts, verify }: SignerTerms,
  { text, address, fid }: SignInMessage,
  { signature, acceptAuthAddress }: { signature: Uint8Array; acceptAuthAddress: boolean },
): Promise<SignedIn['authMethod']> {
  const method = await methodOf(accounts, fid, address)
  if (method === undefined) {
    const message = `the signer is neither the custody address nor an auth address of fid ${fid}`
    throw new Rejection('unauthorized', message, { field: 'message' })
  }
  if (method === 'authAddress' && !acceptAuthAddress) {
    throw new Rejection('unauthorized', 'auth addresses are not accepted', { field: 'message' })
  }
  if (!(await verify(address, fromHex(hashMessage(text))!, signature))) {
    throw new Rejection('InvalidSignature', 'signature is not that of the address in the message', {
      field: 'signature',
    })
  }
  return method
}

/** Whether an address is the custody or an auth address of a fid; undefined if it is neither. */
export async function methodOf(
  accounts: Accounts,
  fid: number,
  address: Uint8Array,
): Promise<SignedIn['authMethod'] | undefined> {
  if ((await accounts.fidOf(address)) === fid) return 'custody'
  const { state, keyType } = await accounts.keyData(fid, concatBytes(ADDRESS_PADDING, address))
  return state === KEY_STATES.added && keyType === AUTH_KEY_TYPE ? 'authAddress' : undefined
}
