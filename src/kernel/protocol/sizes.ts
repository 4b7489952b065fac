// Sizes that many files need. What one file alone needs is declared there.

export const KIB = 1024
export const MIB = 1024 * KIB
export const GIB = 1024 * MIB

export const NO_BYTES = new Uint8Array(0)

export const MAX_UINT32 = 2 ** 32 - 1
/** Messages, rows and event keys carry a fid in 32 bits. */
export const MAX_FID = MAX_UINT32
/** A fid as rows, keys and answers pack it. */
export const FID_BYTES = 4
/** A hash of a message: BLAKE3 cut to this length. */
export const HASH_BYTES = 20
/** A hash of a block or of a transaction. */
export const BLOCK_HASH_BYTES = 32
/** An Ed25519 public key. */
export const KEY_BYTES = 32
/** An Ethereum address. */
export const ADDRESS_BYTES = 20
/** A Solana address. */
export const SOL_ADDRESS_BYTES = 32
/** The longest type of a link; keys pad it to this length with zero bytes. */
export const LINK_TYPE_BYTES = 8
/** Mentions in a cast, at most. */
export const MAX_MENTIONS = 10
/** The longest URL of a parent or of an embed. */
export const MAX_URL_BYTES = 256
