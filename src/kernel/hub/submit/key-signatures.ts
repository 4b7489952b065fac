import { gaslessRequestDomains } from '../../accounts/signatures/accepted-domains.ts'
import { ecdsa } from '../../accounts/signatures/ecdsa.ts'
import { equalBytes } from '../../protocol/codec/bytes.ts'
import type { TypedDataDomain } from '../../protocol/crypto/account-domains.ts'
import {
  keyAddTypedData,
  keyRemoveTypedData,
  signedKeyRequestTypedData,
  type TypedData,
  typedDataDigest,
} from '../../protocol/crypto/eip712.ts'
import { decodeSignedKeyRequestMetadata } from '../../protocol/crypto/key-request-metadata.ts'
import { invalid } from '../../protocol/kinds/rules.ts'
import { MAX_FID } from '../../protocol/sizes.ts'
import type { KeyAddBody, KeyRemoveBody, MessageData } from '../../protocol/wire/message_pb.js'
import { encodeKeySigners, type KeySigners } from '../kinds/gasless-keys.ts'

// Who signed a KEY_ADD or KEY_REMOVE. The merge compares the addresses with the custody addresses that it reads.

type Keyed = Pick<MessageData, 'fid' | 'timestamp' | 'body'>

/**
 * Recovers the signers of a message with the question `keySigners`, for Candidate.answer. Throws a Rejection when a
 * signature is none, or when the app's request has expired by the time of the message.
 */
export async function findKeySigners(
  { fid, timestamp, body }: Keyed,
  domain: TypedDataDomain,
): Promise<Uint8Array> {
  if (body.case === 'keyAddBody') {
    return encodeKeySigners(await addSigners(fid, timestamp, body.value, domain))
  }
  if (body.case !== 'keyRemoveBody') throw new TypeError('not a message about a key')
  return encodeKeySigners({ custody: await removeSigner(fid, body.value, domain) })
}

async function addSigners(
  fid: bigint,
  timestamp: number,
  body: KeyAddBody,
  domain: TypedDataDomain,
): Promise<KeySigners> {
  const request = await requestSigner(timestamp, body, domain)
  const custody = await signerOf(keyAddTypedData({ fid, ...body }, domain), body.custodySignature)
  if (!custody) throw invalid('invalid signature', 'keyAddBody.custodySignature')
  return { custody, request }
}

async function removeSigner(
  fid: bigint,
  body: KeyRemoveBody,
  domain: TypedDataDomain,
): Promise<Uint8Array> {
  const signer = await signerOf(keyRemoveTypedData({ fid, ...body }, domain), body.signature)
  if (!signer) throw invalid('invalid signature', 'keyRemoveBody.signature')
  return signer
}

/** The app that asked for a key. Its request may be signed in the deployed domain, because it adds no key by itself. */
async function requestSigner(
  timestamp: number,
  { key, metadata }: KeyAddBody,
  domain: TypedDataDomain,
): Promise<{ readonly fid: number; readonly address: Uint8Array }> {
  const field = 'keyAddBody.metadata'
  const malformed = () =>
    invalid('SignedKeyRequest metadata is malformed or signature does not verify', field)
  const request = decodeSignedKeyRequestMetadata(metadata)
  if (!request || request.requestFid > BigInt(MAX_FID)) throw malformed()
  const { requestFid, requestSigner: address, signature, deadline } = request
  if (deadline < BigInt(timestamp)) throw invalid('SignedKeyRequest deadline has expired', field)
  for (const one of gaslessRequestDomains(domain)) {
    const typedData = signedKeyRequestTypedData({ requestFid, key, deadline }, one)
    const signer = await signerOf(typedData, signature)
    if (signer && equalBytes(signer, address)) return { fid: Number(requestFid), address }
  }
  throw malformed()
}

const signerOf = (typedData: TypedData, signature: Uint8Array) =>
  ecdsa.recover(typedDataDigest(typedData), signature)
