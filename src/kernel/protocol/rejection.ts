/** Every error code of a refusal. Only `http/errors.ts` maps codes to statuses. */
export type RejectionCode =
  | 'unauthenticated'
  | 'unauthenticated.declined'
  | 'unauthorized'
  | 'unauthorized.suspended'
  | 'unauthorized.new_account'
  | 'bad_request'
  | 'bad_request.parse_failure'
  | 'bad_request.invalid_param'
  | 'bad_request.validation_failure'
  | 'bad_request.unknown_fid'
  | 'bad_request.unknown_signer'
  | 'bad_request.no_storage'
  | 'bad_request.duplicate'
  | 'bad_request.conflict'
  | 'bad_request.prunable'
  | 'bad_request.blocked'
  | 'bad_request.erased'
  | 'bad_request.mirror_loop'
  | 'bad_request.future_event'
  | 'bad_request.unsupported_media_type'
  | 'bad_request.too_large'
  | 'bad_request.too_slow'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_supported'
  | 'rate_limited'
  | 'changed_meanwhile'
  | 'unreadable_secret'
  | 'signup.closed'
  | 'signup.invite_required'
  | 'signup.invalid_invite'
  | 'signup.approval_required'
  | 'unavailable'
  | 'unavailable.network_failure'
  | 'unavailable.overloaded'
  | 'unavailable.storage_full'
  | 'internal_error'
  | ContractError
  | RegistryError

/** The error names of the account contracts, which the ledger uses too (see the contracts' specification). */
export type ContractError =
  | 'InvalidSignature'
  | 'SignatureExpired'
  | 'HasNoId'
  | 'HasId'
  | 'Unauthorized'
  | 'InvalidState'
  | 'ExceedsMaximum'
  | 'ValidatorNotFound'
  | 'InvalidMetadata'
  | 'InvalidAmount'
  | 'ExceedsCapacity'
  | 'InvalidBatchInput'

/** The codes of the deployed name registry. */
export type RegistryError =
  | 'USERNAME_TAKEN'
  | 'USERNAME_RESERVED'
  | 'TOO_MANY_NAMES'
  | 'UNAUTHORIZED'
  | 'USERNAME_NOT_FOUND'
  | 'INVALID_SIGNATURE'
  | 'INVALID_USERNAME'
  | 'INVALID_FID_OWNER'
  | 'THROTTLED'
  | 'INVALID_TIMESTAMP'

export type SchemaFault = {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: object
  readonly message: string
}

export type RejectionHints = {
  readonly field?: string | undefined
  readonly retryAfterSeconds?: number
  readonly reason?: string
  readonly data?: object
  readonly fault?: SchemaFault
}

/** A refusal that the caller can fix: a stable code, a message, and the field at fault if there is one. */
export class Rejection extends Error {
  readonly code: RejectionCode
  readonly field: string | undefined
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds: number | undefined
  /** The client platform's own code, where it has one, with its data. */
  readonly reason: string | undefined
  readonly data: object | undefined
  /** What a schema refused, as a fault object of JSON Schema validators. */
  readonly fault: SchemaFault | undefined

  constructor(code: RejectionCode, message: string, hints: RejectionHints = {}) {
    super(message)
    this.name = 'Rejection'
    this.code = code
    this.field = hints.field
    this.retryAfterSeconds = hints.retryAfterSeconds
    this.reason = hints.reason
    this.data = hints.data
    this.fault = hints.fault
  }
}
