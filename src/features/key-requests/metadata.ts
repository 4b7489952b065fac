import { encodeSignedKeyRequestMetadata } from '../../kernel/protocol/crypto/key-request-metadata.ts'
import type { StoredKeyRequest } from './tables/key-requests.ts'

/** The app's signed request as it is stored with the key: by the contracts, and in a KEY_ADD. */
export const metadataOf = (request: StoredKeyRequest): Uint8Array =>
  encodeSignedKeyRequestMetadata({
    requestFid: BigInt(request.request_fid),
    requestSigner: request.request_signer,
    signature: request.signature,
    deadline: BigInt(request.deadline),
  })
