// Keys that the custody address of an account adds, signed with the published library.

import * as core from '@farcaster/core'
import { encodeAbiParameters } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import type { App } from '../src/app.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'

type Hex = `0x${string}`
export type Owner = { readonly fid: number; readonly account: LocalAccount }

/** The key of an address, as the ABI encodes it. */
export const keyOfAddress = (address: Hex): Hex =>
  encodeAbiParameters([{ type: 'address' }], [address])

export const postAccounts = (app: App, call: string, body: object): Promise<Response> =>
  fetch(`${app.urls.accounts}/v1/${call}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The answer to an addition of a key, as the published library signs it. */
export async function addKey(
  app: App,
  { fid, account }: Owner,
  key: Hex,
  keyType: number,
): Promise<Response> {
  const wallet = new core.ViemLocalEip712Signer(account as never)
  const deadline = BigInt(Math.floor(app.clock.now() / 1_000) + 3_600)
  const request = { requestFid: BigInt(fid), key: fromHex(key)!, deadline }
  const metadata = toHex((await wallet.getSignedKeyRequestMetadata(request))._unsafeUnwrap()) as Hex
  const nonce = await app.ledger!.nonce('keyGateway', fromHex(account.address)!)
  const call = { owner: account.address, keyType, key, metadataType: 1, metadata, deadline }
  const terms = { ...call, key: fromHex(key)!, nonce: BigInt(nonce) }
  const signature = toHex((await wallet.signAdd(terms as never))._unsafeUnwrap())
  return postAccounts(app, 'addFor', { ...call, deadline: Number(deadline), signature })
}
