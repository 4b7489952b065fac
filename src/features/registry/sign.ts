import type { LocalAccount } from 'viem'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import {
  DEPLOYED_CHAIN_ID,
  type TypedDataDomain,
} from '../../kernel/protocol/crypto/account-domains.ts'
import {
  nameTransferDomain,
  nameTransferTypedData,
  usernameProofTypedData,
} from '../../kernel/protocol/crypto/eip712.ts'
import { signTypedData } from '../../kernel/protocol/crypto/sign-typed-data.ts'
import { TEST_ADDRESS } from '../../kernel/protocol/crypto/test-keys.ts'
import { type ClaimStruct, kindOfChange } from './claims.ts'

// Signs transfer requests, for the command line, the development network and tests.

export type NameChange = {
  readonly name: string
  /** 0 for a registration. */
  readonly from: number
  /** 0 for a release. */
  readonly to: number
  /** Unix seconds. */
  readonly timestamp: number
  /** The requesting fid: `to` of a registration, else `from`, unless an administrator requests it. */
  readonly fid?: number
  /** The address that an administrator assigns the name to; by default that of the signing account. */
  readonly owner?: `0x${string}`
  /** Unless given, NameTransfer for a move, and UserNameProof for everything else. */
  readonly struct?: ClaimStruct
  /** The domain of NameTransfer, which the registry shows under /domains; unless given, that of development. */
  readonly transferDomain?: TypedDataDomain
}

/** Development networks have the deployed chain id and sign names with the first test key. */
const DEVELOPMENT_DOMAIN = nameTransferDomain({
  chainId: DEPLOYED_CHAIN_ID,
  registrySigner: TEST_ADDRESS,
})

/** A signed request body for `POST /transfers`. */
export async function signNameChange(account: LocalAccount, change: NameChange) {
  const { name, from, to, timestamp, fid = from === 0 ? to : from } = change
  const owner = (change.owner ?? account.address).toLowerCase()
  const { struct = kindOfChange(change) === 'move' ? 'NameTransfer' : 'UserNameProof' } = change
  const claim =
    struct === 'NameTransfer'
      ? nameTransferTypedData(change, change.transferDomain ?? DEVELOPMENT_DOMAIN)
      : usernameProofTypedData({ name, timestamp, owner: fromHex(owner)! })
  const signature = await signTypedData(account, claim)
  return { name, from, to, fid, owner, timestamp, signature }
}
