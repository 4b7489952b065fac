import { DAY_SECONDS } from '../../kernel/protocol/time.ts'

/** Random bytes of a token. A token is the permission to read its request, so it must not be guessable. */
export const TOKEN_BYTES = 24
/** Signatures of contract wallets may be long. The signature becomes part of the metadata of the key. */
export const MAX_SIGNATURE_BYTES = 4_096
export const MAX_REDIRECT_CHARACTERS = 2_048
/** Unix seconds. A greater number was probably meant in milliseconds. */
export const MAX_DEADLINE = 2 ** 32 - 1
/** How long a request can be read after it has reached a final state. */
export const KEPT_SECONDS = DAY_SECONDS
/** A request without an approval expires after this time, even when its deadline is later. */
export const MAX_WAIT_SECONDS = 30 * DAY_SECONDS
/** Stored requests of one fid. */
export const MAX_REQUESTS_PER_FID = 20_000
/** Stored requests for one key. All of them are read when it is added. */
export const MAX_REQUESTS_PER_KEY = 100

/** The price of a sponsored request. A sponsor must have this much available. */
export const SPONSORSHIP_CREDITS = 100

/** How long the typed data that a user is given to sign stays valid. */
export const APPROVAL_SECONDS = 600
/** The longest validity of a user's signature. A sponsor's credits may be reserved for this long. */
export const MAX_APPROVAL_SECONDS = 7 * DAY_SECONDS
/** Time after which another process may take over an unsubmitted approval. */
export const SUBMIT_CLAIM_SECONDS = 60
/** An approval fails when its key was not added this long after its signature expired. */
export const LATE_SECONDS = 3_600

/** The contracts' key type and metadata type for an Ed25519 key with a signed key request. */
export const KEY_TYPE = 1
export const METADATA_TYPE = 1
