const DAY_SECONDS = 24 * 3_600

/** 24 random bytes: whoever knows a token may read the request, so that nobody shall guess one. */
export const TOKEN_BYTES = 24
export const KEY_BYTES = 32
/** A contract wallet's signature may be long; it travels in the metadata of the key. */
export const MAX_SIGNATURE_BYTES = 4_096
export const MAX_REDIRECT_CHARACTERS = 2_048
/** Unix seconds; what is greater was meant in milliseconds. */
export const MAX_DEADLINE = 2 ** 32 - 1
/** How long a request can be read once it has ended, one way or the other. */
export const KEPT_SECONDS = DAY_SECONDS
/** A request that nobody has approved by then is forgotten, whatever its deadline says. */
export const MAX_WAIT_SECONDS = 30 * DAY_SECONDS
/** Requests of one fid that are kept at a time. */
export const MAX_REQUESTS_PER_FID = 20_000
/** Requests for one key, all of which are looked at when it is added. */
export const MAX_REQUESTS_PER_KEY = 100

/** What a sponsored request costs its sponsor, who needs that much to be one. */
export const SPONSORSHIP_CREDITS = 100

/** How long what a user is given to sign can be handed in. */
export const APPROVAL_SECONDS = 600
/** How far ahead a user's signature may end: until then a sponsor's credits may be set aside. */
export const MAX_APPROVAL_SECONDS = 7 * DAY_SECONDS
/** How long who takes an approval has to hand it on before another process does. */
export const SUBMIT_CLAIM_SECONDS = 60
/** An approved key that has not come this long after its signature ended will not come. */
export const LATE_SECONDS = 3_600

/** Key type and metadata type of the contracts: an Ed25519 key with a signed key request. */
export const KEY_TYPE = 1
export const METADATA_TYPE = 1
