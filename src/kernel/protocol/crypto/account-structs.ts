// The structs that Ethereum keys sign about accounts, keys, names and addresses (EIP-712). Whoever signs one of them gives
// something away, so a wallet signs none of them for a mini app: web/client/miniapps/wallet/refusals.ts reads this file, and
// a struct that is added here is refused there. This file loads no cryptography.

/** Signed by `to`, nonce counted in the IdGateway. */
export const REGISTER_TYPES = {
  Register: [
    { name: 'to', type: 'address' },
    { name: 'recovery', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** Signed by both sides, each with its own nonce in the IdRegistry. */
export const TRANSFER_TYPES = {
  Transfer: [
    { name: 'fid', type: 'uint256' },
    { name: 'to', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

export const TRANSFER_AND_CHANGE_RECOVERY_TYPES = {
  TransferAndChangeRecovery: [
    { name: 'fid', type: 'uint256' },
    { name: 'to', type: 'address' },
    { name: 'recovery', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** `from` is the present recovery address, `to` the new one. */
export const CHANGE_RECOVERY_ADDRESS_TYPES = {
  ChangeRecoveryAddress: [
    { name: 'fid', type: 'uint256' },
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** Signed by `owner`, nonce counted in the KeyGateway. */
export const ADD_KEY_TYPES = {
  Add: [
    { name: 'owner', type: 'address' },
    { name: 'keyType', type: 'uint32' },
    { name: 'key', type: 'bytes' },
    { name: 'metadataType', type: 'uint8' },
    { name: 'metadata', type: 'bytes' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** Signed by `owner`, nonce counted in the KeyRegistry. */
export const REMOVE_KEY_TYPES = {
  Remove: [
    { name: 'owner', type: 'address' },
    { name: 'key', type: 'bytes' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** Signed by the app that asks for a key; it has no nonce and serves any user until its deadline. */
export const SIGNED_KEY_REQUEST_TYPES = {
  SignedKeyRequest: [
    { name: 'requestFid', type: 'uint256' },
    { name: 'key', type: 'bytes' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

export const USERNAME_PROOF_TYPES = {
  UserNameProof: [
    { name: 'name', type: 'string' },
    { name: 'timestamp', type: 'uint256' },
    { name: 'owner', type: 'address' },
  ],
} as const

/**
 * A move of a name between two fids. Ours: the deployed claim names neither fid nor network, so that a
 * published one could be used to move the name to another account, or on another network.
 */
export const NAME_TRANSFER_TYPES = {
  NameTransfer: [
    { name: 'name', type: 'string' },
    { name: 'from', type: 'uint256' },
    { name: 'to', type: 'uint256' },
    { name: 'timestamp', type: 'uint256' },
  ],
} as const

export const VERIFICATION_CLAIM_TYPES = {
  VerificationClaim: [
    { name: 'fid', type: 'uint256' },
    { name: 'address', type: 'address' },
    { name: 'blockHash', type: 'bytes32' },
    { name: 'network', type: 'uint8' },
  ],
} as const

/** What the custody address of a fid signs to have its data exported or erased, or a copy of its key kept. */
export const ACCOUNT_DATA_TYPES = {
  AccountDataRequest: [
    { name: 'action', type: 'string' },
    { name: 'fid', type: 'uint256' },
    { name: 'network', type: 'string' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

export const KEY_ADD_TYPES = {
  KeyAdd: [
    { name: 'fid', type: 'uint256' },
    { name: 'key', type: 'bytes' },
    { name: 'keyType', type: 'uint32' },
    { name: 'scopes', type: 'uint32[]' },
    { name: 'ttl', type: 'uint32' },
    { name: 'nonce', type: 'uint32' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

export const KEY_REMOVE_TYPES = {
  KeyRemove: [
    { name: 'fid', type: 'uint256' },
    { name: 'key', type: 'bytes' },
    { name: 'nonce', type: 'uint32' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const
