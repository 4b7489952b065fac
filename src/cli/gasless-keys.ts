import { randomBytes } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import type { AnswerOf } from '../client/client.ts'
import type { HubOperations } from '../client/generated/hub.ts'
import { type KeyScope, scopeNumbers } from '../client/scopes.ts'
import { addressOf } from '../kernel/accounts/signatures/sign.ts'
import { fromHex } from '../kernel/protocol/codec/bytes.ts'
import { publicKeyOf } from '../kernel/protocol/crypto/ed25519.ts'
import {
  gaslessKeyDomain,
  keyAddTypedData,
  keyRemoveTypedData,
  signedKeyRequestTypedData,
  signTypedData,
} from '../kernel/protocol/crypto/eip712.ts'
import { encodeSignedKeyRequestMetadata } from '../kernel/protocol/crypto/key-request-metadata.ts'
import { KEY_REMOVAL, keyAdd, keyRemove } from '../kernel/protocol/kinds/gasless-key.ts'
import { networkTime } from '../kernel/protocol/time.ts'
import { getJson } from './client.ts'
import { accountDomainsOf, at, networkNow, type Target } from './commands/network.ts'
import type { Holder } from './commands/signer.ts'
import { submitMessage } from './commands/writing/post.ts'

type SignerPage = AnswerOf<HubOperations['get'], '/v1/signersByFid'>
type HubSigner = SignerPage['signers'][number]

const DEADLINE_SECONDS = 3_600

/** The keys of an account that messages added. */
export async function gaslessKeysOf({ hub }: Target, fid: number): Promise<HubSigner[]> {
  const found: HubSigner[] = []
  for (let token = ''; ; ) {
    const path = `/v1/signersByFid?fid=${fid}&pageToken=${encodeURIComponent(token)}`
    const page = (await getJson(at(hub, path))) as SignerPage | undefined
    found.push(...(page?.signers ?? []).filter(isGasless))
    token = page?.nextPageToken ?? ''
    if (token === '') return found
  }
}

/** Whether an account has this key, and a message added it. */
export async function hasGaslessKey({ hub }: Target, fid: number, key: string): Promise<boolean> {
  const answer = await getJson(at(hub, `/v1/signer?fid=${fid}&signer=${key}`))
  return answer !== undefined && isGasless(answer.signer)
}

/** Adds a key by a message that it signs itself; the account is the app that requests it. */
export async function addGaslessKey(
  target: Target,
  { fid, custodyPrivateKey }: Holder,
  seed: Uint8Array,
  { scopes, ttl }: { readonly scopes: readonly KeyScope[]; readonly ttl: number },
): Promise<void> {
  const key = publicKeyOf(seed)
  const { currentUserNonce } = await getJson(at(target.hub, `/v1/signersByFid?fid=${fid}`))
  const { keyRegistry } = await accountDomainsOf(target)
  const domain = gaslessKeyDomain(keyRegistry)
  const deadline = networkTime(await networkNow(target)) + DEADLINE_SECONDS
  const request = { requestFid: fid, key, deadline }
  const privateKey = fromHex(custodyPrivateKey)!
  const metadata = encodeSignedKeyRequestMetadata({
    requestFid: BigInt(fid),
    requestSigner: addressOf(privateKeyToAccount(custodyPrivateKey)),
    signature: signTypedData(signedKeyRequestTypedData(request, domain), privateKey),
    deadline: BigInt(deadline),
  })
  const terms = { key, scopes: scopeNumbers(scopes), ttl, nonce: currentUserNonce + 1, deadline }
  const custodySignature = signTypedData(keyAddTypedData({ fid, ...terms }, domain), privateKey)
  const body = { ...terms, custodySignature, metadata }
  await submitMessage(target, { fid, seed }, (origin) => keyAdd(origin, body))
}

/** Removes a key by the custody signature. Any key may sign the message, so one of this moment does. */
export async function removeGaslessKey(target: Target, holder: Holder, key: string) {
  const { fid, custodyPrivateKey } = holder
  const { currentUserNonce } = await getJson(at(target.hub, `/v1/signersByFid?fid=${fid}`))
  const { keyRegistry } = await accountDomainsOf(target)
  const deadline = networkTime(await networkNow(target)) + DEADLINE_SECONDS
  const terms = { key: fromHex(key)!, nonce: currentUserNonce + 1, deadline }
  const typedData = keyRemoveTypedData({ fid, ...terms }, gaslessKeyDomain(keyRegistry))
  const signature = signTypedData(typedData, fromHex(custodyPrivateKey)!)
  const body = { ...terms, signature, signatureType: KEY_REMOVAL.custody }
  await submitMessage(target, { fid, seed: randomBytes(32) }, (origin) => keyRemove(origin, body))
}

const isGasless = ({ source }: HubSigner) => source === 'SIGNER_SOURCE_OFFCHAIN'
