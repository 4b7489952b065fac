import { t } from './messages.ts'

// What people read of a refusal where the page is not in English: a sentence for each code of the server. The server says more in
// English, such as which number was too large, which pages in English show. Loaded when something is refused.

const SIGN_IN = t('You are not signed in any more. Sign in again.')
const NOT_ALLOWED = t(
  'You may not do this. Ask the people who run this server if you think that you should.',
)
const NOT_ACCEPTED = t('Something that you have entered is not accepted. Check it and try again.')
const TOO_LARGE = t('This is too large. Make it smaller, or send less at once.')
const OTHER_KIND = t('Files of this kind are not accepted. Choose another one.')
const GONE = t('This is not here any more, or never was.')
const NOT_OFFERED = t('This server does not offer this. Ask the people who run it.')
const TOO_MUCH = t('That was too much in a short time. Wait a little and try again.')
const LATER = t('The server cannot do this at the moment. Try again in a minute.')
const FAULT = t(
  'Something went wrong on the server. Try again; if it stays, tell the people who run it.',
)
const BAD_SIGNATURE = t('The signature was not accepted. Sign with the owner of the account.')

/** Of all interfaces that pages ask: the app API has some codes in the words of deployed clients. */
export const BY_CODE: Readonly<Record<string, string>> = {
  unauthenticated: SIGN_IN,
  Unauthorized: SIGN_IN,
  'unauthenticated.declined': t('It was declined. Begin again if you want it after all.'),
  unauthorized: NOT_ALLOWED,
  Forbidden: NOT_ALLOWED,
  'unauthorized.suspended': t(
    'Your account is suspended on this server. “Reports” in the settings says why, and there you can appeal.',
  ),
  'unauthorized.new_account': t(
    'Your account is new here, and may not do this yet. Send less, or wait some days.',
  ),
  bad_request: NOT_ACCEPTED,
  'bad_request.parse_failure': t(
    'The server could not read this. Load the page again and try once more.',
  ),
  'bad_request.invalid_param': NOT_ACCEPTED,
  'bad_request.validation_failure': NOT_ACCEPTED,
  InvalidField: NOT_ACCEPTED,
  RequiredField: t('Something is missing. Fill in what is needed and try again.'),
  InvalidCursor: t('This list has changed. Load it again.'),
  'bad_request.unknown_fid': t(
    'This server does not know this account. It may be too new, or of another server.',
  ),
  'bad_request.unknown_signer': t(
    'This device is signed out: the key that it had is no key of your account any more.',
  ),
  'bad_request.no_storage': t(
    'You keep as much as one account may on this server. Remove something that you no longer need first.',
  ),
  'bad_request.duplicate': t('This is here already.'),
  'bad_request.conflict': t(
    'This does not go with what is here already, or there is no room for more of it. Load the page again, and look.',
  ),
  'bad_request.prunable': t('There is no room for this. Remove something older first.'),
  'bad_request.blocked': t('You cannot reply to, mention or quote somebody who blocks you.'),
  'bad_request.erased': t('What you wrote here is being erased. Try again in a few minutes.'),
  'bad_request.unsupported_media_type': OTHER_KIND,
  UnsupportedMediaType: OTHER_KIND,
  'bad_request.too_large': TOO_LARGE,
  PayloadTooLarge: TOO_LARGE,
  'bad_request.too_slow': t('Your connection was too slow for this. Try again over a better one.'),
  not_found: GONE,
  NotFound: GONE,
  not_supported: NOT_OFFERED,
  NotSupported: NOT_OFFERED,
  rate_limited: TOO_MUCH,
  RateLimited: TOO_MUCH,
  changed_meanwhile: t('Somebody has changed this meanwhile. Load it again, then decide.'),
  'signup.closed': t('This server takes no new accounts now. Ask its operator.'),
  'signup.invite_required': t(
    'You need an invite to join this server. Open the link of an invite in this browser.',
  ),
  'signup.invalid_invite': t('This invite is not valid any more. Ask who sent it for another one.'),
  'signup.approval_required': t('Moderators let people in here. Ask to join first.'),
  unavailable: LATER,
  Unavailable: LATER,
  'unavailable.network_failure': t(
    'The network behind this server does not answer. Try again later.',
  ),
  'unavailable.overloaded': t(
    'This server has too much to do at the moment. Try again in a minute.',
  ),
  'unavailable.storage_full': t(
    'This server is full. It takes nothing new until its operator makes room.',
  ),
  internal_error: FAULT,
  InternalServerError: FAULT,
  InvalidSignature: BAD_SIGNATURE,
  INVALID_SIGNATURE: BAD_SIGNATURE,
  SignatureExpired: t('The signature came too late. Try again, and sign at once.'),
  HasNoId: t('No account belongs to this address.'),
  HasId: t('This address has an account already. Sign in with it.'),
  InvalidState: t('The key was added or removed before. Use another one.'),
  ExceedsMaximum: t(
    'Your account has as many keys as it can have. Remove one that you do not need first.',
  ),
  ExceedsCapacity: t('There is no room left on this network. Ask the people who run this server.'),
  USERNAME_TAKEN: t('This name is taken. Choose another one.'),
  USERNAME_RESERVED: t('This server gives this name to nobody. Choose another one.'),
  TOO_MANY_NAMES: t('Your account has a name already. Give it back first.'),
  UNAUTHORIZED: t('This name belongs to another account.'),
  USERNAME_NOT_FOUND: t('Nobody has this name.'),
  INVALID_USERNAME: t('This cannot be a name. Use small letters, digits and hyphens.'),
  INVALID_FID_OWNER: BAD_SIGNATURE,
  THROTTLED: t('A name cannot be changed again so soon. Wait some weeks.'),
  INVALID_TIMESTAMP: t('The clock of this device is wrong. Set it and try again.'),
}

/** Codes that are about a field, which may say more. */
const ABOUT_FIELDS: ReadonlySet<string> = new Set([
  'bad_request.invalid_param',
  'bad_request.validation_failure',
  'InvalidField',
  'RequiredField',
])
const TEXT = t('This text is not accepted. It may be empty or too long.')
const LINK = t('This link is not accepted. It must begin with https://.')
const BY_FIELD: Readonly<Record<string, string>> = {
  name: t('This name is not accepted. Choose another one.'),
  text: TEXT,
  word: TEXT,
  reason: TEXT,
  answer: TEXT,
  description: TEXT,
  rules: TEXT,
  url: LINK,
  image_url: LINK,
  address: t('This address is not accepted. Look whether it is written right.'),
  invite: t('This invite is not valid any more. Ask who sent it for another one.'),
  q: t('This search cannot be understood. Search for other words.'),
  body: t(
    'This file is not accepted. It may be damaged, or of a kind that this server does not take.',
  ),
  poll: t('This poll is not accepted. It may have ended.'),
}

/** The sentence of a refusal; undefined for a code that the page does not know. */
export function sentenceOf({
  reason = '',
  field = '',
  status,
}: {
  readonly reason?: string | undefined
  readonly field?: string | undefined
  readonly status: number
}): string | undefined {
  // Contracts call what is forbidden as the app API calls who is not signed in.
  if (reason === 'Unauthorized' && status === 403) return NOT_ALLOWED
  return (
    (ABOUT_FIELDS.has(reason) && own(BY_FIELD, field)) ||
    own(BY_CODE, reason) ||
    (status === 401 ? SIGN_IN : undefined)
  )
}

const own = (texts: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(texts, name) ? texts[name] : undefined
