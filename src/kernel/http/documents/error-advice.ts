import type { RejectionCode } from '../../protocol/rejection.ts'

const CHANGE_REQUEST =
  'Correct the field that the answer names; do not repeat the request unchanged.'
const RETRY_LATER = 'Wait for the seconds of `retry-after`, then repeat the request.'
const SIGN_AGAIN = 'Sign again: check domain, types, nonce and deadline.'

/** What a caller can do about each error; for docs/errors.md. */
export const ADVICE: Readonly<Record<RejectionCode, string>> = {
  unauthenticated: 'Send valid credentials or a valid bearer token.',
  'unauthenticated.declined': 'Nothing: the user does not want to. Offer to begin again.',
  unauthorized: 'Use an account or a token that may do this.',
  'unauthorized.suspended':
    'Ask the operator. The account can still export its messages and have them erased.',
  'unauthorized.new_account':
    'Send it without what the answer names, or wait until the time that it names: the operator limits new accounts.',
  bad_request: CHANGE_REQUEST,
  'bad_request.parse_failure': 'Check the encoding of the body and its content type.',
  'bad_request.invalid_param': CHANGE_REQUEST,
  'bad_request.validation_failure': CHANGE_REQUEST,
  'bad_request.unknown_fid': 'Register the fid, or wait until its registration is confirmed.',
  'bad_request.unknown_signer': 'Add the key to the fid, or sign with an active key.',
  'bad_request.no_storage': 'Rent storage for the fid, or ask the operator for some.',
  'bad_request.duplicate': 'Nothing: the message is stored already.',
  'bad_request.conflict': 'Nothing: a newer message is in force. Sign a later one to change that.',
  'bad_request.prunable': 'Sign a newer message, or rent storage: it would be pruned at once.',
  'bad_request.blocked': 'Do not reply to, mention or quote a user who blocks the author.',
  'bad_request.erased':
    'Sign a new message: messages of the time before an erasure are refused for good.',
  'bad_request.mirror_loop':
    'The mirrors follow each other, or themselves: point one of them at another hub (ROOKERY_MIRROR_URLS).',
  'bad_request.future_event':
    'The events were reset or restored from a backup: read the lists again, then follow the events from the newest one on.',
  'bad_request.unsupported_media_type':
    'Send the content type that the route documents, without a content encoding.',
  'bad_request.too_large': 'Send a smaller body, or fewer messages in one request.',
  'bad_request.too_slow': 'Send the body without long pauses, or repeat over a faster connection.',
  not_found: 'Check the ids and the path. What was removed or pruned does not come back.',
  method_not_allowed: 'Use a method of the `allow` header.',
  not_supported: 'Use a server that supports this, or ask the operator to configure it.',
  rate_limited: RETRY_LATER,
  changed_meanwhile: 'Read it again, then decide: it was changed or decided since you read it.',
  unreadable_secret:
    'Make a new signer and have it approved, delete the webhook and create it again, or enter the password again.',
  'signup.closed': 'Register on another server, or ask the operator to add your account.',
  'signup.invite_required': 'Send the code that the operator gave you as `invite`.',
  'signup.approval_required':
    'Ask with `POST /v1/join-requests`, and register when its ticket says `approved`.',
  'signup.invalid_invite': 'Check the code, or ask the operator for another invite.',
  unavailable: RETRY_LATER,
  'unavailable.network_failure':
    'Repeat later: a chain or registry that the server asks does not answer.',
  'unavailable.overloaded': RETRY_LATER,
  'unavailable.storage_full':
    'Remove messages or files that you no longer need, or ask the operator to make room.',
  internal_error: 'Repeat later. If it stays, give the operator the request id.',
  InvalidSignature: SIGN_AGAIN,
  SignatureExpired: 'Sign again with a later deadline.',
  HasNoId: 'Use an address that owns a fid.',
  HasId: 'Use an address that does not own a fid yet.',
  Unauthorized: 'Sign with the custody or recovery address that the call requires.',
  InvalidState: 'Use another key: this one is added already or was removed for good.',
  ExceedsMaximum: 'Remove a key before you add another one.',
  ValidatorNotFound: 'Use key type 1 or 2 and metadata type 1.',
  InvalidMetadata: 'Let the app sign the key request again, with its own custody address.',
  InvalidAmount: 'Rent at least one unit.',
  ExceedsCapacity: 'Ask the operator: no storage units are left.',
  InvalidBatchInput: 'Send lists of equal length.',
  USERNAME_TAKEN: 'Choose another name, or let its holder release or transfer it.',
  USERNAME_RESERVED: 'Choose another name, or ask an administrator of the registry.',
  TOO_MANY_NAMES: 'Release the name that the fid holds first.',
  UNAUTHORIZED: 'Let the holder of the name or an administrator sign.',
  USERNAME_NOT_FOUND: 'Check the spelling.',
  INVALID_SIGNATURE: SIGN_AGAIN,
  INVALID_USERNAME: 'Use 1 to 16 characters of a-z, 0-9 and -, the first not -.',
  INVALID_FID_OWNER: 'Use the custody address of the fid as owner.',
  THROTTLED: 'Wait until the time that the message names.',
  INVALID_TIMESTAMP: 'Take the time from `/current-time` and sign again.',
}
