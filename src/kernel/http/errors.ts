import { Rejection, type RejectionCode } from '../protocol/rejection.ts'
import { StoreUnavailable, type UnavailableReason } from '../storage/engines/unavailable.ts'

/** How one kind of error is presented over HTTP, over gRPC, and to clients of deployed hubs. */
export type ErrorRow = {
  status: number
  /** The gRPC status number; also the `code` of the hub's error object. */
  grpcCode: number
  /** A fixed summary for people; the message of the rejection has the details. */
  title: string
  /** The hub's `errCode` where published clients do not know our code. */
  hubCode?: string
}

const INVALID_ARGUMENT = 3
const NOT_FOUND = 5
const ALREADY_EXISTS = 6
const PERMISSION_DENIED = 7
const FAILED_PRECONDITION = 9
const ABORTED = 10
const UNIMPLEMENTED = 12
const INTERNAL = 13
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

const refused = (title: string): ErrorRow => ({ status: 400, grpcCode: INVALID_ARGUMENT, title })
const unavailable = (title: string): ErrorRow => ({ status: 503, grpcCode: UNAVAILABLE, title })

/**
 * The only table of status codes. The hub has the gRPC status 3 for every bad_request, as its clients expect.
 */
export const ERRORS: Record<RejectionCode, ErrorRow> = {
  unauthenticated: { status: 401, grpcCode: UNAUTHENTICATED, title: 'Not authenticated' },
  'unauthenticated.declined': { status: 401, grpcCode: UNAUTHENTICATED, title: 'Declined' },
  unauthorized: { status: 403, grpcCode: PERMISSION_DENIED, title: 'Not allowed' },
  'unauthorized.suspended': { status: 403, grpcCode: PERMISSION_DENIED, title: 'Suspended' },
  'unauthorized.new_account': {
    status: 403,
    grpcCode: PERMISSION_DENIED,
    title: 'New account',
  },
  bad_request: refused('Bad request'),
  'bad_request.parse_failure': refused('Could not be parsed'),
  'bad_request.invalid_param': refused('Invalid parameter'),
  'bad_request.validation_failure': refused('Validation failure'),
  'bad_request.unknown_fid': refused('Unknown fid'),
  'bad_request.unknown_signer': refused('Unknown signer'),
  'bad_request.no_storage': refused('No storage'),
  'bad_request.duplicate': refused('Duplicate'),
  'bad_request.conflict': refused('Conflict'),
  'bad_request.prunable': refused('Would be pruned'),
  'bad_request.blocked': refused('Blocked'),
  'bad_request.erased': refused('Erased'),
  'bad_request.mirror_loop': refused('Mirrors in a circle'),
  'bad_request.future_event': refused('Above the newest event'),
  'bad_request.unsupported_media_type': {
    ...refused('Unsupported Media Type'),
    status: 415,
    hubCode: 'bad_request.parse_failure',
  },
  'bad_request.too_large': {
    ...refused('Request body is too large'),
    status: 413,
    hubCode: 'bad_request.parse_failure',
  },
  'bad_request.too_slow': {
    ...refused('Request body is too slow'),
    status: 408,
    hubCode: 'bad_request.parse_failure',
  },
  not_found: { status: 404, grpcCode: NOT_FOUND, title: 'Not found' },
  method_not_allowed: { ...refused('Method not allowed'), status: 405, hubCode: 'bad_request' },
  not_supported: {
    status: 400,
    grpcCode: UNIMPLEMENTED,
    title: 'Not supported',
    hubCode: 'not_implemented',
  },
  rate_limited: { ...unavailable('Too many requests'), status: 429, hubCode: 'unavailable' },
  changed_meanwhile: { status: 409, grpcCode: ABORTED, title: 'Changed meanwhile' },
  unreadable_secret: {
    status: 409,
    grpcCode: FAILED_PRECONDITION,
    title: 'Secret cannot be opened',
  },
  'signup.closed': { status: 403, grpcCode: PERMISSION_DENIED, title: 'Sign-up is closed' },
  'signup.invite_required': { status: 403, grpcCode: PERMISSION_DENIED, title: 'Invite required' },
  'signup.invalid_invite': { status: 403, grpcCode: PERMISSION_DENIED, title: 'Invalid invite' },
  'signup.approval_required': {
    status: 403,
    grpcCode: PERMISSION_DENIED,
    title: 'Approval required',
  },
  unavailable: unavailable('Unavailable'),
  'unavailable.network_failure': unavailable('Network failure'),
  'unavailable.overloaded': {
    ...unavailable('Overloaded'),
    hubCode: 'unavailable.storage_failure',
  },
  'unavailable.storage_full': {
    ...unavailable('Storage full'),
    hubCode: 'unavailable.storage_failure',
  },
  internal_error: {
    status: 500,
    grpcCode: INTERNAL,
    title: 'Internal error',
    hubCode: 'unknown',
  },
  InvalidSignature: refused('Invalid signature'),
  SignatureExpired: refused('Signature expired'),
  HasNoId: refused('Address has no fid'),
  HasId: { status: 409, grpcCode: ALREADY_EXISTS, title: 'Address has a fid' },
  Unauthorized: { status: 403, grpcCode: PERMISSION_DENIED, title: 'Not allowed' },
  InvalidState: { status: 409, grpcCode: FAILED_PRECONDITION, title: 'Invalid state' },
  ExceedsMaximum: refused('Too many keys'),
  ValidatorNotFound: refused('Unknown key type'),
  InvalidMetadata: refused('Invalid metadata'),
  InvalidAmount: refused('Invalid amount'),
  ExceedsCapacity: refused('No capacity left'),
  InvalidBatchInput: refused('Invalid batch'),
  // The deployed registry answers every broken name rule with 400; clients look at the code.
  USERNAME_TAKEN: refused('Name is taken'),
  USERNAME_RESERVED: refused('Name is reserved'),
  TOO_MANY_NAMES: refused('Fid has a name'),
  UNAUTHORIZED: refused('Not for this fid'),
  USERNAME_NOT_FOUND: refused('The name is not registered'),
  INVALID_SIGNATURE: refused('Invalid signature'),
  INVALID_USERNAME: refused('Invalid name'),
  INVALID_FID_OWNER: refused('Address does not hold the fid'),
  THROTTLED: refused('Too soon'),
  INVALID_TIMESTAMP: refused('Invalid timestamp'),
}

/** How an interface writes an error; `plain` is the form of accounts and operations. */
export type ErrorShape = 'hub' | 'registry' | 'platform' | 'app' | 'plain'

/** The default of Retry-After, in seconds. */
const DEFAULT_RETRY_AFTER_SECONDS = 1

/** The table row for a rejection's code. */
export const errorRow = (code: RejectionCode): ErrorRow => ERRORS[code] ?? ERRORS.internal_error

/** The value of Retry-After, or undefined when waiting does not help. */
export function retryAfter(rejection: Rejection): number | undefined {
  const { status } = errorRow(rejection.code)
  if (rejection.retryAfterSeconds !== undefined) return rejection.retryAfterSeconds
  return status === 429 || status === 503 ? DEFAULT_RETRY_AFTER_SECONDS : undefined
}

/** The error body; the keys beyond the deployed ones are `code`, `field` and `requestId`. */
export function errorBody(
  shape: ErrorShape,
  rejection: Rejection,
  requestId: string,
  status: number = errorRow(rejection.code).status,
): object {
  return BODIES[shape](rejection, requestId, status)
}

/** A body for an error; `status` is that of the answer. */
type ErrorBody = (rejection: Rejection, requestId: string, status: number) => object

/** The codes of the app API where they are not our own. Clients of deployed APIs look for some of them. */
const APP_CODES: { readonly [Code in RejectionCode]?: string } = {
  unauthenticated: 'Unauthorized',
  'unauthenticated.declined': 'Unauthorized',
  unauthorized: 'Forbidden',
  'unauthorized.suspended': 'Forbidden',
  'unauthorized.new_account': 'Forbidden',
  not_found: 'NotFound',
  not_supported: 'NotSupported',
  method_not_allowed: 'MethodNotAllowed',
  'bad_request.too_large': 'PayloadTooLarge',
  'bad_request.unsupported_media_type': 'UnsupportedMediaType',
  rate_limited: 'RateLimited',
  unavailable: 'Unavailable',
  'unavailable.network_failure': 'Unavailable',
  'unavailable.overloaded': 'Unavailable',
  'unavailable.storage_full': 'Unavailable',
  internal_error: 'InternalServerError',
}
/** What a parameter is refused by in the app API. */
export const APP_FIELD_CODES = ['RequiredField', 'InvalidField', 'InvalidCursor'] as const
const FIELD_REFUSALS: readonly RejectionCode[] = [
  'bad_request.parse_failure',
  'bad_request.invalid_param',
  'bad_request.validation_failure',
]

/** The code of a refusal as the app API writes it. */
function appCodeOf({ code, field, fault, reason }: Rejection): string {
  if (field === undefined || !FIELD_REFUSALS.includes(code)) return appCode(code)
  if (fault?.keyword === 'required') return 'RequiredField'
  return reason === 'InvalidCursor' ? reason : 'InvalidField'
}

/** The code of the app API for one of ours that is not about a parameter. */
export const appCode = (code: RejectionCode): string => APP_CODES[code] ?? code

/** The codes that the app API may write for one of ours. */
export const appCodesOf = (code: RejectionCode): readonly string[] =>
  FIELD_REFUSALS.includes(code) ? [code, ...APP_FIELD_CODES] : [appCode(code)]

const BODIES: Record<ErrorShape, ErrorBody> = {
  hub: (rejection, requestId) => {
    const row = errorRow(rejection.code)
    const errCode = row.hubCode ?? rejection.code
    return {
      errCode,
      presentable: false,
      name: 'HubError',
      code: row.grpcCode,
      details: rejection.message,
      metadata: { errcode: [errCode] },
      error: row.title,
      errorDetail: rejection.message,
      message: rejection.message,
      field: rejection.field,
      requestId,
    }
  },
  // Errors of name rules have one deployed message with a code; all others have their own message.
  registry: (rejection, requestId) => ({
    error: /^[A-Z_]+$/.test(rejection.code) ? 'Validation failure' : rejection.message,
    code: rejection.code,
    message: rejection.message,
    field: rejection.field,
    requestId,
  }),
  platform: (rejection, requestId) => ({
    errors: [
      rejection.fault ?? {
        message: rejection.message,
        reason:
          rejection.reason ??
          (rejection.code === 'unauthenticated' ? 'invalid_auth_token' : undefined),
        data: rejection.data,
        instancePath: rejection.field && `/${rejection.field.replaceAll('.', '/')}`,
      },
    ],
    code: rejection.code,
    field: rejection.field,
    requestId,
  }),
  app: (rejection, requestId, status) => ({
    code: appCodeOf(rejection),
    message: rejection.message,
    status,
    property: rejection.field,
    requestId,
  }),
  plain: (rejection, requestId) => ({
    error: rejection.code,
    code: rejection.code,
    message: rejection.message,
    field: rejection.field,
    requestId,
  }),
}

/** The answer to an internal error, without details. The log has them under the request id. */
const internalError = new Rejection('internal_error', 'something went wrong on our side')

/** The rejection for an error: itself, an HTTP framework error in our words, or an internal error. */
export function rejectionOf(error: unknown): Rejection {
  if (error instanceof Rejection) return error
  if (error instanceof StoreUnavailable) return storeUnavailable(error)
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  const code = (error as { code?: unknown } | null)?.code
  // The client disconnected during its body: no internal error, and no one reads the answer.
  if (code === 'ECONNRESET' && status === 400) {
    return new Rejection('bad_request.parse_failure', 'the request was cut off')
  }
  if (typeof code !== 'string') return internalError
  if (!code.startsWith('FST_')) return internalError
  if (status === 413) return new Rejection('bad_request.too_large', 'request body is too large')
  if (status === 415)
    return new Rejection('bad_request.unsupported_media_type', 'media type is not supported')
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Rejection('bad_request.parse_failure', 'request could not be understood')
  }
  return internalError
}

const STORE_UNAVAILABLE: Readonly<Record<UnavailableReason, string>> = {
  unreachable: 'the store cannot be reached now; try again',
  read_only: 'the store accepts no writes now; try again',
  timeout: 'the store did not answer in time; try again',
  overloaded: 'the store is overloaded; try again',
  full: 'the disk is full; nothing was stored',
  clock: 'the clock of this server is wrong; nothing was stored',
}

function storeUnavailable({ reason }: StoreUnavailable): Rejection {
  return new Rejection('unavailable', STORE_UNAVAILABLE[reason])
}
